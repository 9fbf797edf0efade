import type { SessionFacts } from "@haft/core";
import { expect, test } from "vitest";
import { createPolicy } from "../../src/create-policy.ts";
import type { ElevatedRules } from "../../src/read/exec-config.ts";
import type { PolicyConfig } from "../../src/read/policy-config.ts";
import { getProblems, running, session, tool, tools } from "../fixtures.ts";

const ada = { id: "ada" };
const line = running("rm x", { elevated: true });

function ask(
  config: PolicyConfig,
  more: Partial<SessionFacts> = {},
  administrator?: PolicyConfig,
  id = "exec",
) {
  const made = createPolicy(config, {
    tools,
    source: "policy.json",
    ...(administrator ? { administrator: { config: administrator, source: "admin.json" } } : {}),
  });
  const facts = { ...session("main"), sender: ada, ...more };
  return made.forSession(facts).call(tool(id), {}, line);
}
const listed = (elevated: ElevatedRules): PolicyConfig => ({ exec: { allow: ["git"], elevated } });
const full = listed({ mode: "full", senders: ["id:ada"] });

test("is off by default and names the missing keys", () => {
  expect(ask({})).toMatchObject({
    effect: "deny",
    reason:
      "exec cannot be elevated: policy.json: exec.elevated.mode is not set; " +
      "exec.elevated.senders names no sender.",
    fix: undefined,
  });
  expect(ask(listed({ mode: "off", senders: ["id:ada"] }))).toMatchObject({
    reason: expect.stringContaining('policy.json: exec.elevated.mode is "off"'),
  });
  expect(ask(full, { sender: { id: "bob" } }).reason).toContain(
    "policy.json: exec.elevated.senders does not name the sender",
  );
});

test("rejects display names, unknown senders and the host itself", () => {
  const anyone = listed({ mode: "full", senders: ["*"] });
  expect(ask(full, { sender: { name: "ada" } }).effect).toBe("deny");
  expect(ask(anyone, { sender: { id: "bob" } }).effect).toBe("allow");
  expect(ask(anyone, { sender: "system" }).effect).toBe("deny");
  const { sender: _sender, ...unknown } = { ...session("main"), sender: ada };
  expect(createPolicy(anyone, { tools }).forSession(unknown).call(tool("exec"), {}, line).effect).toBe(
    "deny",
  );
  expect(ask(listed({ mode: "full", senders: ["system"] }), { sender: "system" }).effect).toBe("allow");
});

test.each<[string, SessionFacts["sender"], string]>([
  ["an id", { id: "9" }, "allow"],
  ["a phone number", { phone: "+49 1" }, "allow"],
  ["a user name", { username: "@bob" }, "allow"],
  ["a name beside an id", { id: "9", name: "Ada" }, "allow"],
  ["a display name alone", { name: "ada" }, "deny"],
  ["a display name beside what is empty", { name: "ada", id: "", phone: "-", username: "@" }, "deny"],
  ["nothing", {}, "deny"],
  ["the host", "system", "deny"],
])("matches * for senders known by more than a display name: %s", (_what, sender, effect) => {
  const anyone = listed({ mode: "full", senders: ["*"] });
  expect(ask(anyone, { sender: sender! }).effect).toBe(effect);
  expect(ask({ exec: anyone.exec! }, { sender: sender! }, anyone).effect).toBe(effect);
});

test.each([
  ["unknown", /can be anyone, so calls of unknown senders are never elevated/],
  ["name:ada", /anyone can choose a display name/],
  ["chat/name:ada", /anyone can choose a display name/],
  ["ada", /is not a sender/],
  ["Unknown", /is not a sender/],
  ["chat/*", /is not a sender/],
  ["id:*", /without wildcards/],
])("rejects %s in the list with the reason", (who, says) => {
  for (const mode of ["ask", "full", "off"] as const) {
    const found = getProblems(() => createPolicy(listed({ mode, senders: ["id:ada", who] }), { tools }));
    expect(found).toMatchObject([{ path: "exec.elevated.senders[1]", message: expect.stringMatching(says) }]);
  }
});

test("mode ask: lifts the list for this call and asks each time", () => {
  expect(ask(listed({ mode: "ask", senders: ["id:ada"] }))).toMatchObject({
    effect: "ask",
    everyTime: "elevated calls need approval every time (policy.json: exec.elevated.mode)",
  });
});

test("mode full: lifts the list and the questions of exec rules", () => {
  expect(ask(full).effect).toBe("allow");
  expect(ask({ exec: { ask: "always", elevated: { mode: "full", senders: ["id:ada"] } } }).effect).toBe(
    "allow",
  );
});

test("keeps deny and ask rules and the session table", () => {
  expect(ask({ ...full, deny: ["exec(rm *)"] }).effect).toBe("deny");
  expect(ask({ ...full, ask: ["exec"] }).effect).toBe("ask");
  expect(ask(full, {}, undefined, "bash").effect).toBe("ask");
  expect(ask(full, { kind: "group" }).effect).toBe("ask");
});

test("needs every scope that mentions it, and uses the strictest mode", () => {
  const inner = (elevated: ElevatedRules): PolicyConfig => ({
    ...full,
    sessions: { main: { exec: { elevated } } },
  });
  expect(ask(inner({ mode: "off" })).effect).toBe("deny");
  expect(ask(inner({ mode: "ask" })).effect).toBe("ask");
  expect(ask(inner({ senders: ["id:bob"] })).effect).toBe("deny");
});

test("is denied in a sandbox", () => {
  expect(ask(full, { kind: "sandboxed" }).reason).toContain("sandboxed sessions are never elevated");
  expect(ask(full, { sandbox: { mount: "rw", network: "full" } }).effect).toBe("deny");
});

test("requires the administrator's consent to lift the administrator's rules", () => {
  const strict: PolicyConfig = { exec: { allow: ["git"] } };
  expect(ask(full, {}, strict).reason).toContain(
    "admin.json: exec.elevated.mode is not set, and only the administrator can lift the administrator's rules",
  );
  expect(ask(full, {}, strict).effect).toBe("deny");
  expect(ask(full, {}, { exec: { allow: ["git"], elevated: { mode: "ask" } } }).effect).toBe("ask");
  expect(ask(full, {}, { deny: ["read"] }).effect).toBe("allow");
  expect(ask({}, {}, full).effect).toBe("allow");
});
