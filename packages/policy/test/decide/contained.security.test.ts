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

describe("questions about contained commands", () => {
  /** Contained; where nothing contains; leaving. */
  type Row = readonly [ExecRules, contained: string, uncontained: string, leaving: string];
  const rows: Row[] = [
    [{}, "allow", "allow", "ask"],
    [{ preset: "contained" }, "allow", "ask", "ask"],
    [{ preset: "contained", security: "full" }, "allow", "ask", "ask"],
    [{ preset: "contained", ask: "off" }, "allow", "deny", "ask"],
    [{ preset: "contained", ask: "always" }, "ask", "ask", "ask"],
    [{ preset: "contained", allow: ["git"] }, "allow", "allow", "ask"],
    [{ preset: "contained", allow: ["ls"] }, "ask", "ask", "ask"],
    [{ preset: "contained", allow: ["ls"], ask: "off" }, "deny", "deny", "deny"],
    [{ preset: "contained", security: "allowlist" }, "allow", "ask", "ask"],
    [{ preset: "contained", containment: "read-only" }, "ask", "ask", "ask"],
    [{ preset: "contained", network: "full" }, "allow", "ask", "ask"],
    [{ containment: "workspace" }, "allow", "ask", "ask"],
    [{ containment: "workspace", security: "full" }, "allow", "ask", "ask"],
    [{ containment: "workspace", security: "deny" }, "deny", "deny", "deny"],
    [{ containment: "workspace", allow: ["git"] }, "allow", "allow", "ask"],
    [{ containment: "workspace", allow: ["ls"] }, "deny", "deny", "deny"],
    [{ containment: "workspace", ask: "always" }, "ask", "ask", "ask"],
    [{ preset: "careful" }, "allow", "ask", "ask"],
    [{ preset: "careful", containment: "workspace" }, "allow", "ask", "ask"],
    [{ preset: "careful", ask: "always" }, "ask", "ask", "ask"],
    [{ security: "allowlist", ask: "on-miss" }, "allow", "ask", "ask"],
    [{ security: "allowlist" }, "deny", "deny", "deny"],
    [{ allow: ["ls"], ask: "on-miss" }, "ask", "ask", "ask"],
    [{ allow: ["ls"] }, "deny", "deny", "deny"],
    [{ security: "deny" }, "deny", "deny", "deny"],
    [{ network: ["example.com"] }, "allow", "allow", "ask"],
  ];

  test.each(rows)(
    "decides %j: %s inside, %s without containment, %s to leave",
    (exec, inside, without, out) => {
      expect(ask({ exec }, inView()).effect).toBe(inside);
      expect(ask({ exec }, session("main")).effect).toBe(without);
      expect(ask({ exec }, inView(), leaving()).effect).toBe(out);
      // Where nothing contains them, there is nothing to leave.
      expect(ask({ exec }, session("main"), leaving()).effect).toBe(without);
    },
  );

  test("applies denials and questions as usual", () => {
    const exec: ExecRules = { preset: "contained" };
    expect(ask({ exec, deny: ["exec(git push*)"] }, inView()).effect).toBe("deny");
    expect(ask({ exec, ask: ["exec(git push*)"] }, inView()).effect).toBe("ask");
    expect(ask({ exec, ask: ["exec"] }, inView()).effect).toBe("ask");
    expect(ask({ exec, deny: ["effect:write"] }, inView()).effect).toBe("deny");
    expect(ask({ exec, deny: ["effect:write(path:docs/**)"] }, inView()).effect).toBe("ask");
  });

  test("applies explicit lists of other layers", () => {
    const config: PolicyConfig = {
      exec: { preset: "contained" },
      sessions: { main: { exec: { allow: ["git status*"], ask: "on-miss" } } },
    };
    expect(ask(config, inView()).effect).toBe("ask");
    expect(ask(config, inView(), running("git status")).effect).toBe("allow");
  });

  test("applies the limits that the call requests", () => {
    const exec: ExecRules = { preset: "contained" };
    expect(ask({ exec }, inView(), running("git push", { ask: "always" })).effect).toBe("ask");
    expect(ask({ exec }, inView(), running("git push", { security: "deny" })).effect).toBe("deny");
    expect(ask({ exec }, inView(), running("git push", { security: "allowlist" })).effect).toBe("deny");
    expect(
      ask({ exec }, inView(), running("git push", { security: "allowlist", ask: "on-miss" })).effect,
    ).toBe("ask");
  });

  test("asks if the administrator's rules require approval", () => {
    const made = (config: PolicyConfig, administrator: PolicyConfig) =>
      createPolicy(config, { tools, administrator: { config: administrator, source: "a.json" } })
        .forSession(inView())
        .call(tool("exec"), {}, running("git push")).effect;
    expect(made({ exec: { preset: "contained" } }, { exec: { preset: "careful" } })).toBe("ask");
    expect(made({}, { exec: { preset: "careful", containment: "workspace" } })).toBe("ask");
    expect(made({}, { exec: { preset: "contained" } })).toBe("allow");
    expect(made({}, { exec: { containment: "read-only" } })).toBe("ask");
  });

  test("does not ask about unclear commands inside", () => {
    const unclear = running("x", { unclear: "it uses $( )" });
    expect(ask({ exec: { preset: "contained" } }, inView(), unclear).effect).toBe("allow");
    expect(ask({ exec: { preset: "careful" } }, inView(), unclear).effect).toBe("allow");
    expect(ask({ exec: { preset: "contained" } }, session("main"), unclear).effect).toBe("ask");
  });
});

describe("the session table", () => {
  test.each<[string, SessionFacts, CallSubjects | undefined, string]>([
    ["bash in main is allowed", inView(), running("git push"), "allow"],
    ["bash with unknown commands is allowed", inView(), undefined, "allow"],
    ["bash that leaves the view needs approval", inView(), leaving(), "ask"],
    ["bash without containment needs approval", session("main"), running("git push"), "ask"],
    ["bash in a group needs approval", inView({ kind: "group" }), running("git push"), "ask"],
    [
      "bash in a subagent of a group needs approval",
      inView({ parent: session("group") }),
      running("x"),
      "ask",
    ],
  ])("decides: %s", (_what, facts, subjects, expected) => {
    const made = policy({ exec: { containment: "workspace" }, sessions: { group: { grant: ["write"] } } });
    expect(made.forSession(facts).call(tool("bash"), {}, subjects).effect).toBe(expected);
  });

  test("asks about exec in a group, contained or not", () => {
    expect(ask({ exec: { preset: "contained" } }, inView({ kind: "group" })).effect).toBe("ask");
  });

  test("asks about a plugin's tool with the name bash", () => {
    const rogue = { ...tool("rogue/write"), id: "rogue/bash", name: "bash", effects: ["execute"] as const };
    const made = createPolicy({ ask: ["rogue/bash"] }, { tools: [...tools, rogue] });
    expect(made.forSession(inView()).call(rogue, {}, running("x")).effect).toBe("ask");
  });
});

describe("restrictions that containment already provides", () => {
  const readOnly = inView({ containment: { mode: "read-only", network: "none" } });
  const listed = inView({ containment: { mode: "workspace", network: ["example.com", "*.example.org"] } });

  test.each<[string, PolicyConfig, SessionFacts, string]>([
    ["writing, read-only", { deny: ["effect:write"] }, readOnly, "allow"],
    ["writing, in the workspace", { deny: ["effect:write"] }, inView(), "deny"],
    ["writing to a path, read-only", { deny: ["effect:write(path:docs/**)"] }, readOnly, "allow"],
    ["reading", { deny: ["effect:read"] }, readOnly, "deny"],
    ["network, none", { deny: ["effect:network"] }, readOnly, "allow"],
    ["network, a list", { deny: ["effect:network"] }, listed, "deny"],
    ["a host, none", { deny: ["*(host:example.com)"] }, inView(), "allow"],
    ["a host of the list", { deny: ["*(host:example.com)"] }, listed, "ask"],
    ["hosts of which the list has some", { deny: ["*(host:*.a.example.org)"] }, listed, "ask"],
    ["a host beside the list", { deny: ["*(host:example.net)"] }, listed, "allow"],
    [
      "a host, full",
      { deny: ["*(host:x.example)"] },
      inView({ containment: { ...view, network: "full" } }),
      "ask",
    ],
  ])("are taken into account: %s", (_what, config, facts, expected) => {
    expect(ask(config, facts).effect).toBe(expected);
  });

  test("do not count for a call that leaves the view", () => {
    expect(ask({ deny: ["effect:write"] }, readOnly, leaving()).effect).toBe("deny");
    expect(ask({ deny: ["effect:network"] }, readOnly, leaving()).effect).toBe("deny");
    expect(ask({ deny: ["*(host:example.net)"] }, listed, leaving()).trace).toContainEqual(
      expect.objectContaining({ layer: "deny", verdict: "ask" }),
    );
  });

  test("do not count for a tool with network access", () => {
    const made = policy({ sessions: { main: { grant: ["node_invoke"] } }, deny: ["effect:network"] });
    expect(made.forSession(readOnly).call(tool("node_invoke"), {}, undefined)).toMatchObject({
      effect: "deny",
      reason: expect.stringContaining("effect:network"),
    });
  });
});

test("distinguishes sessions by their view", () => {
  const made = policy({ exec: { containment: "read-only", network: ["example.com"] } });
  const views: (ContainmentFacts | undefined)[] = [
    undefined,
    { mode: "workspace", network: "none" },
    { mode: "read-only", network: "none" },
    { mode: "read-only", network: "full" },
    { mode: "read-only", network: ["example.com"] },
    { mode: "read-only", network: ["example.com", "example.org"] },
    { mode: "read-only", network: ["example.com,example.org"] },
  ];
  const sessions = views.map((containment) =>
    made.forSession({ ...session("main"), ...(containment && { containment }) }),
  );
  expect(new Set(sessions).size).toBe(views.length);
  const effects = sessions.map((each) => each.call(tool("exec"), {}, running("ls")).effect);
  expect(effects).toEqual(["ask", "ask", "allow", "ask", "allow", "ask", "ask"]);
});
