import type { CallSubjects, SessionKind } from "@haft/core";
import { expect, test } from "vitest";
import { createPolicy } from "../../src/create-policy.ts";
import type { PolicyConfig } from "../../src/read/policy-config.ts";
import { command, policy, running, session, tool } from "../fixtures.ts";

const fixFor = (config: PolicyConfig, kind: SessionKind, id: string, agentId = "") =>
  policy(config).forSession(session(kind, agentId)).call(tool(id), {}).fix;

test("offers no fix if no policy can help", () => {
  expect(fixFor({}, "main", "bash")).toBeUndefined();
  expect(fixFor({ ask: ["bash"] }, "main", "bash")).toBeUndefined();
});

test("offers no fix for a tool that the policy cannot name", () => {
  const stranger = { ...tool("math/add"), id: "late/comer", pluginId: "late", name: "comer" };
  expect(policy({}).forSession(session("group")).call(stranger, {})).toMatchObject({
    effect: "deny",
    fix: undefined,
  });
});

test.each<[string, PolicyConfig, SessionKind, string, string]>([
  ["a missing grant", {}, "group", "write", 'Add "write" to sessions.group.grant in policy.json.'],
  [
    "a name that two tools share, by id",
    {},
    "group",
    "rogue/write",
    'Add "rogue/write" to sessions.group.grant in policy.json.',
  ],
  [
    "an optional tool",
    {},
    "main",
    "extras/secret_scan",
    'Add "secret_scan" to sessions.main.grant in policy.json.',
  ],
  [
    "an optional tool behind an allow list, with one change",
    { allow: ["read"] },
    "main",
    "extras/secret_scan",
    'Add "secret_scan" to allow in policy.json.',
  ],
  [
    "a wide denial, with what else it opens",
    { deny: ["read", "group:fs"] },
    "main",
    "write",
    'Remove "group:fs" from deny[1] in policy.json. This also allows the tools `edit`, `apply_patch`, `ls` and `list_rooms`.',
  ],
  [
    "several denials in one list",
    { deny: ["effect:write", "exec", "group:runtime"] },
    "sandboxed",
    "exec",
    'Remove "effect:write" from deny[0], remove "exec" from deny[1] and remove "group:runtime" from deny[2] in policy.json. ' +
      "This also allows the tools `write`, `edit`, `apply_patch`, `process` and `bash`.",
  ],
  [
    "a denial in front of an approval",
    { deny: ["exec"] },
    "group",
    "exec",
    'Remove "exec" from deny[0] in policy.json. Calls can still need approval.',
  ],
  [
    "a profile, without sending others away",
    { profile: "messaging", grant: ["chat"] },
    "group",
    "ls",
    'Set profile to "full" in policy.json. This also allows the tools `read`, `exec`, `process`, `bash` and `list_rooms`.',
  ],
  [
    "everything at once",
    { deny: ["write"], sessions: { group: { profile: "minimal", allow: ["read"] } } },
    "group",
    "write",
    'Add "write" to sessions.group.grant and sessions.group.allow, remove "write" from deny[0] ' +
      'and set sessions.group.profile to "coding" in policy.json.',
  ],
])("offers a fix for %s", (_, config, kind, id, expected) => expect(fixFor(config, kind, id)).toBe(expected));

test("names agents as they are written in the file", () => {
  const config: PolicyConfig = { agents: Object.fromEntries([["__proto__", { deny: ["read"] }]]) };
  expect(fixFor(config, "main", "read", "__proto__")).toBe(
    'Remove "read" from agents.__proto__.deny[0] in policy.json.',
  );
});

test("mentions the policy without a file", () => {
  const made = createPolicy({}, { tools: [tool("write")] });
  expect(made.forSession(session("group")).call(tool("write"), {}).fix).toBe(
    'Add "write" to sessions.group.grant in the policy.',
  );
});

test.each<[string, PolicyConfig, CallSubjects, string | undefined]>([
  [
    "a denial on a condition",
    { deny: ["exec(rm *)"] },
    running("rm x"),
    'Remove "exec(rm *)" from deny[0] in policy.json.',
  ],
  [
    "only what is missing on a list of commands",
    { allow: ["exec(git *)"] },
    running("git log && ls -l"),
    'Add "exec(ls -l)" to allow in policy.json.',
  ],
  [
    "the program by its path, when that is how it was called",
    { exec: { allow: ["git"] } },
    running("/opt/x/git log"),
    'Add "/opt/x/git log" to exec.allow in policy.json.',
  ],
  [
    "the words as they are, not as patterns",
    { exec: { allow: ["git"] } },
    { command: { text: "", cwd: "/", commands: [command("ls", { argv: ["ls", "*", "a b", "c\\d"] })] } },
    String.raw`Add "ls \\* 'a b' c\\\\d" to exec.allow in policy.json.`,
  ],
  [
    "several gates at once",
    { exec: { allow: ["ls"] }, sessions: { main: { exec: { allow: ["ls"] } } } },
    running("git log"),
    'Add "git log" to exec.allow and sessions.main.exec.allow in policy.json.',
  ],
])("offers a fix for a call: %s", (_, config, subjects, expected) => {
  expect(policy(config).forSession(session("main")).call(tool("exec"), {}, subjects).fix).toBe(expected);
});

test("does not confuse an agent named exec with command rules", () => {
  const config: PolicyConfig = { agents: { exec: { allow: ["ls"] } } };
  expect(fixFor(config, "main", "read", "exec")).toBe('Add "read" to agents.exec.allow in policy.json.');
});

test("offers no fix if a command contains a character that patterns reject", () => {
  const rules: PolicyConfig = { exec: { security: "allowlist", allow: ["ls"] } };
  const run = (name: string) =>
    policy(rules).forSession(session("main")).call(tool("exec"), {}, running(name)).fix;
  expect(run("make")).toContain('Add "make" to exec.allow');
  expect(run("ma\u0001ke")).toBeUndefined();
});
