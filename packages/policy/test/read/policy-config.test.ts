import { fc, test as property } from "@fast-check/vitest";
import type { CallSubjects } from "@haft/core";
import { describe, expect, test } from "vitest";
import { parsePolicyConfig } from "../../src/read/parse-policy.ts";
import type { PolicyConfig } from "../../src/read/policy-config.ts";
import { policy, getProblems, session, tool } from "../fixtures.ts";

const paths = (value: unknown) =>
  getProblems(() => parsePolicyConfig(value, "p.json")).map(({ path }) => path);

describe("the parser rejects", () => {
  test.each([null, undefined, [], "allow", 7, true])("%j as a policy", (value) => {
    expect(paths(value)).toEqual([""]);
  });

  test("unknown keys on every level, with the nearest name", () => {
    const value = {
      alow: ["read"],
      sessions: { grup: {}, main: { denny: [] } },
      agents: { ada: { sessions: {} } },
    };
    expect(getProblems(() => parsePolicyConfig(value))).toMatchObject([
      { path: "alow", nearest: ["allow"] },
      { path: "sessions.grup", nearest: ["group"] },
      { path: "sessions.main.denny", nearest: ["deny"] },
      { path: "agents.ada.sessions", nearest: [] },
    ]);
  });

  test("a configuration, with the option that takes one", () => {
    expect(getProblems(() => parsePolicyConfig({ policy: {} }))).toMatchObject([
      { path: "policy", message: expect.stringContaining("--config FILE") },
    ]);
  });

  test("values that are not lists and entries that are not text, by position", () => {
    const value = {
      allow: "read",
      deny: ["read", 3, null, ["x"]],
      sessions: { group: { ask: {} } },
      agents: [],
    };
    expect(paths(value)).toEqual(["allow", "deny[1]", "deny[2]", "deny[3]", "sessions.group.ask", "agents"]);
  });

  test.for([
    [{ deny: "read" }, 'Expected a list, got string "read".'],
    [{ deny: [3] }, "Expected text, got number 3."],
    [{ exec: ["git"] }, "Expected an object, got array of 1."],
    [{ mode: "on" }, 'Expected one of "off", "enforce", "shadow", got string "on".'],
    [
      { mode: false },
      'Expected one of "off", "enforce", "shadow", got boolean false. Quote it if it is meant as a word.',
    ],
    [{ exec: { safe: [] } }, /^There is no such key; known here: preset, security, ask, allow, /],
  ] as const)("%j with a message in words", ([value, message]) => {
    const found = getProblems(() => parsePolicyConfig(value)).map((each) => each.message);
    expect(found).toContainEqual(typeof message === "string" ? message : expect.stringMatching(message));
  });

  test("a misspelled key with the value undefined", () => {
    expect(paths({ denny: undefined, exec: { alow: undefined } })).toEqual(["denny", "exec.alow"]);
    expect(paths({ deny: undefined, exec: undefined })).toEqual([]);
  });

  test("other problems as well, each once and by position", () => {
    const value = {
      deny: [7, "", "no such"],
      allow: {},
      exec: { allow: "git", safeBins: [null, "/bin/cat"] },
      senders: { nobody: [] },
    };
    expect(paths(value).toSorted()).toEqual([
      "allow",
      "deny[0]",
      "deny[1]",
      "deny[2]",
      "exec.allow",
      "exec.safeBins[0]",
      "exec.safeBins[1]",
      "senders.nobody",
      "senders.nobody",
    ]);
  });

  test.each([
    "",
    " ",
    "read ",
    "a b",
    "a/b/c",
    "/x",
    "x/",
    "process:",
    "process:kill:9",
    ":kill",
    "group:",
    "group:fs:",
    "exec()",
    "exec( )",
    "exec(git",
    "exec git)",
    "exec (git)",
    "(git)",
    "read(path:)",
    "read(path:[ab)",
    "read(pth:src)",
    "web(host:https://example.com)",
    "send(arg:=x)",
    "send(arg:to)",
    "read\n",
    "reаd",
  ])("%j as a selector", (selector) => expect(paths({ deny: [selector] })).toEqual(["deny[0]"]));

  test("an unknown effect in an opening list", () => {
    expect(paths({ allow: ["effect:fly"], grant: ["effect:fly"] })).toEqual(["grant[0]", "allow[0]"]);
    expect(paths({ deny: ["effect:fly"], ask: ["effect:jump"] })).toEqual([]);
  });

  test("an empty allow list, which is ambiguous", () => {
    expect(paths({ allow: [] })).toEqual(["allow"]);
    expect(paths({ deny: [], ask: [], grant: [] })).toEqual([]);
  });

  test("entries that the same scope lists in ask and deny", () => {
    expect(paths({ deny: ["exec(rm *)"], ask: ["exec(command:rm *)"] })).toEqual(["ask[0]"]);
  });

  test("entries that the same scope opens and denies", () => {
    const value = {
      allow: ["read", "write"],
      deny: ["write"],
      sessions: { group: { grant: ["edit"], deny: ["edit"] } },
    };
    const problems = getProblems(() => parsePolicyConfig(value));
    expect(problems.map(({ path }) => path)).toEqual(["allow[1]", "sessions.group.grant[0]"]);
    expect(problems[0]!.message).toContain("deny[0]");
  });

  test("unknown profiles, with the nearest name", () => {
    expect(getProblems(() => parsePolicyConfig({ profile: "codign" }))).toMatchObject([
      { nearest: ["coding"] },
    ]);
    expect(paths({ profile: 1, agents: { "a.b": { profile: null } } })).toEqual([
      "profile",
      'agents["a.b"].profile',
    ]);
  });
});

test("reports all problems in one error, with a fix and details", () => {
  expect(() => policy({ deny: ["wrte", "nothing_*"], profile: "codign" as never })).toThrow(
    expect.objectContaining({
      code: "POLICY_INVALID",
      category: "policy",
      message: expect.stringMatching(
        /^policy\.json is not a valid policy; it has 3 problems:\n- profile: .*\n- deny\[0\]/,
      ),
      fix: "Correct profile, deny[0] and deny[1] in policy.json. Haft does not use a policy with a problem.",
      details: { source: "policy.json", problems: [expect.anything(), expect.anything(), expect.anything()] },
    }),
  );
});

test("returns a copy of the document without undefined values", () => {
  const value = { $schema: "x", deny: ["read"], ask: undefined, agents: { ada: { ask: ["write"] } } };
  const config = parsePolicyConfig(value);
  expect(JSON.stringify(config)).toBe('{"deny":["read"],"agents":{"ada":{"ask":["write"]}}}');
  value.deny.push("write");
  expect(config.deny).toEqual(["read"]);
});

test("treats keys that objects inherit as ordinary agent ids", () => {
  const value: unknown = JSON.parse(
    '{"agents":{"__proto__":{"deny":["read"]},"constructor":{"deny":["write"]}}}',
  );
  const config = parsePolicyConfig(value);
  expect(Object.keys(config.agents!)).toEqual(["__proto__", "constructor"]);
  expect(({} as { deny?: unknown }).deny).toBeUndefined();
});

property.prop([fc.jsonValue()])("parses any JSON value as a policy or throws POLICY_INVALID", (value) => {
  getProblems(() => parsePolicyConfig(value)); // throws on anything else
});

const typed: CallSubjects = {
  action: "write",
  command: { text: "rm x", cwd: "/work", commands: [], unclear: "it is typed into calm-otter", input: true },
};
const decide = (config: PolicyConfig, kind: "main" | "group" = "main", subjects: CallSubjects = typed) =>
  policy(config).forSession(session(kind)).call(tool("process"), { action: "write" }, subjects);

test.each<[PolicyConfig, "main" | "group", string]>([
  [{}, "main", "allow"],
  [{}, "group", "ask"],
  [{ exec: { allow: ["rm *"] } }, "main", "deny"],
  [{ exec: { preset: "careful" } }, "main", "ask"],
  [{ exec: { security: "deny" } }, "main", "deny"],
  [{ ask: ["exec"] }, "main", "ask"],
  [{ deny: ["exec"] }, "main", "deny"],
  [{ deny: ["exec(rm *)"] }, "main", "ask"],
  [{ deny: ["effect:execute(command:rm *)"] }, "main", "ask"],
  [{ deny: ["process"] }, "main", "deny"],
  [{ deny: ["process:kill"] }, "main", "allow"],
  [{ ask: ["bash"] }, "main", "allow"],
])("decides about input under %j in a %s session: %s", (config, kind, effect) => {
  expect(decide(config, kind).effect).toBe(effect);
});

test("never remembers approvals of input if ask is always, and names the rule", () => {
  const decision = decide({ exec: { ask: "always" } });
  expect(decision).toMatchObject({ effect: "ask", everyTime: expect.stringContaining("exec.ask") as string });
  expect(decide({ exec: { preset: "careful" } }).reason).toContain("it is typed into calm-otter");
  expect(decide({}, "group").reason).toContain("every command on the host needs approval");
});

test("treats input for a program without a shell as a call of process", () => {
  expect(decide({ deny: ["exec"] }, "main", { action: "write" }).effect).toBe("allow");
  expect(decide({}, "group", { action: "write" }).effect).toBe("allow");
});
