import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { parsePolicyConfig } from "../../src/read/policy-config.ts";
import { policy, problemsOf } from "../fixtures.ts";

const paths = (value: unknown) =>
  problemsOf(() => parsePolicyConfig(value, "p.json")).map(({ path }) => path);

describe("refuses", () => {
  test.each([null, undefined, [], "allow", 7, true])("%j as a whole policy", (value) => {
    expect(paths(value)).toEqual([""]);
  });

  test("unknown keys on every level, with the nearest one", () => {
    const value = {
      alow: ["read"],
      sessions: { grup: {}, main: { denny: [] } },
      agents: { ada: { sessions: {} } },
    };
    expect(problemsOf(() => parsePolicyConfig(value))).toMatchObject([
      { path: "alow", nearest: ["allow"] },
      { path: "sessions.grup", nearest: ["group"] },
      { path: "sessions.main.denny", nearest: ["deny"] },
      { path: "agents.ada.sessions", nearest: [] },
    ]);
  });

  test("lists that are no lists and entries that are no text, each by its place", () => {
    const value = {
      allow: "read",
      deny: ["read", 3, null, ["x"]],
      sessions: { group: { ask: {} } },
      agents: [],
    };
    expect(paths(value)).toEqual(["deny[1]", "deny[2]", "deny[3]", "allow", "sessions.group.ask", "agents"]);
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

  test("an unknown effect, where it opens; where it holds back, whose document it is decides (createPolicy)", () => {
    expect(paths({ allow: ["effect:fly"], grant: ["effect:fly"] })).toEqual(["grant[0]", "allow[0]"]);
    expect(paths({ deny: ["effect:fly"], ask: ["effect:jump"] })).toEqual([]);
  });

  test("an empty allow list, which could be read both ways", () => {
    expect(paths({ allow: [] })).toEqual(["allow"]);
    expect(paths({ deny: [], ask: [], grant: [] })).toEqual([]);
  });

  test("what is asked about and denied in one scope", () => {
    expect(paths({ deny: ["exec(rm *)"], ask: ["exec(command:rm *)"] })).toEqual(["ask[0]"]);
  });

  test("what is opened and denied in one scope", () => {
    const value = {
      allow: ["read", "write"],
      deny: ["write"],
      sessions: { group: { grant: ["edit"], deny: ["edit"] } },
    };
    const problems = problemsOf(() => parsePolicyConfig(value));
    expect(problems.map(({ path }) => path)).toEqual(["allow[1]", "sessions.group.grant[0]"]);
    expect(problems[0]!.message).toContain("deny[0]");
  });

  test("unknown profiles, with the nearest one", () => {
    expect(problemsOf(() => parsePolicyConfig({ profile: "codign" }))).toMatchObject([
      { nearest: ["coding"] },
    ]);
    expect(paths({ profile: 1, agents: { "a.b": { profile: null } } })).toEqual([
      "profile",
      'agents["a.b"].profile',
    ]);
  });
});

test("one error tells every problem, what to do, and facts for programs", () => {
  expect(() => policy({ deny: ["wrte", "nothing_*"], profile: "codign" as never })).toThrow(
    expect.objectContaining({
      code: "POLICY_INVALID",
      category: "policy",
      message: expect.stringMatching(
        /^policy\.json is not a valid policy; it has 3 problems:\n- profile: .*\n- deny\[0\]/,
      ),
      fix: "Correct profile, deny[0] and deny[1] in policy.json; a policy with a problem is not used at all.",
      details: { source: "policy.json", problems: [expect.anything(), expect.anything(), expect.anything()] },
    }),
  );
});

test("keys that objects inherit are ordinary agent ids", () => {
  const value: unknown = JSON.parse(
    '{"agents":{"__proto__":{"deny":["read"]},"constructor":{"deny":["write"]}}}',
  );
  const config = parsePolicyConfig(value);
  expect(Object.keys(config.agents!)).toEqual(["__proto__", "constructor"]);
  expect(({} as { deny?: unknown }).deny).toBeUndefined();
});

property.prop([fc.jsonValue()])("any JSON is either a policy or a POLICY_INVALID", (value) => {
  problemsOf(() => parsePolicyConfig(value)); // throws on anything else
});
