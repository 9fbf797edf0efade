import type { CallSubjects, CommandSubject, ContainmentFacts, SessionFacts } from "@haft/core";
import { describe, expect, test } from "vitest";
import { createPolicy } from "../../src/create-policy.ts";
import type { ExecRules } from "../../src/read/exec-config.ts";
import type { PolicyConfig } from "../../src/read/policy-config.ts";
import { policy, running, session, tool, tools } from "../fixtures.ts";

const view: ContainmentFacts = { mode: "workspace", network: "none" };
const inView = (more: Partial<SessionFacts> = {}): SessionFacts => ({
  ...session("main"),
  containment: view,
  ...more,
});
const ask = (
  config: PolicyConfig,
  facts: SessionFacts,
  subjects: CallSubjects | undefined = running("git push"),
  id = "exec",
) => policy(config).forSession(facts).call(tool(id), {}, subjects);
const leaving = (more: Partial<CommandSubject> = {}) =>
  running("git push", { outside: "it needs the keys of the user", ...more });

describe("leaving the view", () => {
  test("asks with the reason of the call and the key that requires containment", () => {
    const { reason, everyTime } = ask({ exec: { preset: "contained" } }, inView(), leaving());
    expect(reason).toBe(
      'exec needs approval to run outside the view of contained commands (policy.json: exec.preset); its reason: "it needs the keys of the user".',
    );
    // A person's "always" holds for it.
    expect(everyTime).toBeUndefined();
  });

  test("asks without a policy that requires containment, and sanitizes the reason", () => {
    expect(ask({}, inView(), leaving()).reason).toContain("(workspace); its reason");
    expect(ask({}, inView(), leaving({ outside: " " })).reason).toContain("it gives no reason");
    const { reason } = ask({}, inView(), leaving({ outside: `a\u202eb\n${"x".repeat(500)}` }));
    expect(reason).not.toMatch(/[\n\u202e]/);
    expect(reason.length).toBeLessThan(220);
  });

  test("names the call's reason, even if the session table asks", () => {
    expect(ask({}, inView({ kind: "group" }), leaving()).reason).toContain("its reason");
  });

  test.each([
    ["full", "ada", "allow", undefined],
    ["ask", "ada", "ask", expect.any(String)],
    ["full", "bob", "deny", undefined],
    ["off", "ada", "deny", undefined],
  ] as const)("decides elevated calls: mode %s for %s: %s", (mode, id, effect, everyTime) => {
    const exec: ExecRules = { preset: "contained", elevated: { mode, senders: ["id:ada"] } };
    const decision = ask({ exec }, inView({ sender: { id } }), leaving({ elevated: true }));
    expect(decision).toMatchObject({ effect });
    expect(decision.everyTime).toEqual(everyTime);
    expect(ask({ exec }, inView({ sender: { id } }), leaving()).effect).toBe("ask");
  });

  test("requires the administrator's consent to leave the administrator's containment", () => {
    const elevated = { mode: "full", senders: ["id:ada"] } as const;
    const decide = (administrator: PolicyConfig) =>
      createPolicy(
        { exec: { elevated } },
        { tools, administrator: { config: administrator, source: "a.json" } },
      )
        .forSession(inView({ sender: { id: "ada" } }))
        .call(tool("exec"), {}, leaving({ elevated: true })).effect;
    expect(decide({ exec: { preset: "contained" } })).toBe("deny");
    expect(decide({ exec: { preset: "contained", elevated } })).toBe("allow");
    expect(decide({})).toBe("allow");
  });

  test("asks without a plan", () => {
    const made = policy({ exec: { preset: "contained" } });
    const call = (facts: SessionFacts, args: unknown, id = "exec") =>
      made.forSession(facts).call(tool(id), args, undefined);
    expect(call(inView(), { command: "x" }).effect).toBe("allow");
    expect(call(inView(), { command: "x", outside: false }).effect).toBe("allow");
    expect(call(inView(), { command: "x", outside: true, reason: "my keys" })).toMatchObject({
      effect: "ask",
      reason: expect.stringContaining('its reason: "my keys"'),
    });
    expect(call(inView(), { outside: "yes" }, "bash").reason).toContain("it gives no reason");
    expect(call(inView(), { outside: true }, "read").effect).toBe("allow");
    // Once it is known what the call does, that is what counts.
    expect(made.forSession(inView()).call(tool("exec"), { outside: true }, running("x")).effect).toBe(
      "allow",
    );
  });

  test("has no effect in a sandbox", () => {
    const facts: SessionFacts = { ...inView(), kind: "sandboxed", sandbox: { mount: "rw", network: "none" } };
    expect(ask({ exec: { preset: "contained" } }, facts, leaving()).effect).toBe("allow");
  });

  test("asks about input for a shell outside the view", () => {
    expect(ask({}, inView(), leaving({ input: true }), "process").effect).toBe("ask");
    expect(ask({}, inView(), running("x", { input: true }), "process").effect).toBe("allow");
  });
});

describe("hosts of commands", () => {
  const listed = inView({ containment: { mode: "workspace", network: ["example.com", "*.example.org"] } });
  const to = (...hosts: string[]): CallSubjects => ({ ...running("npm install"), hosts });

  test.each<[SessionFacts, string[], string]>([
    [listed, ["example.com"], "allow"],
    [listed, ["example.com", "a.example.org"], "allow"],
    [listed, ["example.org"], "ask"],
    [listed, ["example.com", "example.net"], "ask"],
    [listed, [], "allow"],
    [inView(), ["example.com"], "ask"],
    [inView({ containment: { ...view, network: "full" } }), ["example.com"], "allow"],
    [session("main"), ["example.com"], "allow"],
  ])("are decided: %j to %j: %s", (facts, hosts, expected) => {
    expect(ask({}, facts, to(...hosts)).effect).toBe(expected);
  });

  test("are named in the reason, with the key and the fix", () => {
    const exec: ExecRules = { preset: "contained", network: ["example.com", "*.example.org"] };
    expect(ask({ exec }, listed, to("packages.example.net"))).toMatchObject({
      effect: "ask",
      reason:
        "exec needs approval to reach packages.example.net, which is not on the list of this session's network.",
      fix: 'Add "packages.example.net" to exec.network in policy.json.',
    });
    expect(ask({ exec: { preset: "contained" } }, inView(), to("example.com"))).toMatchObject({
      reason:
        "exec needs approval to reach example.com, but commands of this session have no network access.",
      fix: 'Add "example.com" to exec.network in policy.json.',
    });
    // Whoever wrote it means it; and what the host opened by itself no policy changes.
    const none: ExecRules = { preset: "contained", network: "none" };
    expect(ask({ exec: none }, inView(), to("example.com")).fix).toBeUndefined();
    expect(ask({}, inView(), to("example.com")).fix).toBeUndefined();
  });

  test("appear in the fix for every layer that lacks the host", () => {
    const config: PolicyConfig = {
      exec: { preset: "contained" },
      sessions: { main: { exec: { network: ["example.com"] } } },
    };
    expect(ask(config, inView(), to("example.org")).fix).toBe(
      'Add "example.org" to exec.network and sessions.main.exec.network in policy.json.',
    );
  });

  test("match rules about hosts", () => {
    expect(ask({ deny: ["*(host:example.com)"] }, listed, to("example.com")).effect).toBe("deny");
    expect(ask({ ask: ["exec(host:example.com)"] }, session("main"), to("example.com")).effect).toBe("ask");
    // What a command does beside is not known, so a list of hosts never opens it.
    expect(ask({ allow: ["exec(host:example.com)"] }, session("main"), to("example.com")).effect).toBe(
      "deny",
    );
  });
});

describe("a forwarded port", () => {
  const open = running("npm run dev", { forward: 5173 });

  test("needs approval if commands are contained, regardless of lists and the table", () => {
    const exec: ExecRules = { preset: "contained", network: "full" };
    const facts = inView({ containment: { ...view, network: "full" } });
    expect(ask({ exec }, facts, open)).toMatchObject({
      effect: "ask",
      reason: "exec needs approval to make its port 5173 reachable from this machine.",
    });
    expect(ask({ exec }, facts, open).fix).toBeUndefined();
    expect(ask({ exec: { allow: ["npm *"] } }, inView(), open).effect).toBe("ask");
    expect(ask({}, session("main"), open).effect).toBe("allow");
  });

  test("needs approval even if the network includes the requested host", () => {
    const facts = inView({ containment: { ...view, network: ["example.com"] } });
    expect(ask({}, facts, { ...open, hosts: ["example.com"] }).reason).toContain("its port 5173");
  });
});
