import { HaftError } from "@haft/core";
import type { CallExplanation } from "@haft/core/kernel";
import { expect, test } from "vitest";
import { runPolicyTest, parsePolicyTests, type PolicyExpectation } from "../../src/review/policy-test.ts";

const problems = (value: unknown) => {
  try {
    parsePolicyTests(value, "t.yaml", (path) => (typeof path[0] === "number" ? path[0] + 1 : undefined));
  } catch (thrown) {
    if (!HaftError.is(thrown) || thrown.code !== "POLICY_TESTS_INVALID") throw thrown;
    return (thrown.details as { problems: { path: string; line?: number; nearest?: string[] }[] }).problems;
  }
  return [];
};

test.each([
  [null, ""],
  [{}, ""],
  [[], ""],
  [["exec"], "[0]"],
  [[{ expect: "ask" }], "[0]"],
  [[{ tool: "exec" }], "[0]"],
  [[{ tool: "exec", expect: "yes" }], "[0].expect"],
  [[{ tool: "exec", expect: "ask", sesion: "group" }], "[0].sesion"],
  [[{ tool: "exec", expect: "ask", session: "grup" }], "[0].session"],
  [[{ tool: "", expect: "ask" }], "[0].tool"],
  [[{ tool: "exec", expect: "ask", args: "ls" }], "[0].args"],
  [[{ tool: "exec", expect: "ask", sender: "ada" }], "[0].sender"],
  [[{ tool: "exec", expect: "ask", sender: "*" }], "[0].sender"],
  [[{ tool: "exec", expect: "ask", because: 3 }], "[0].because"],
  [[{ tool: "exec", expect: "ask", containment: "full" }], "[0].containment"],
])("rejects %j and names its position", (value, path) => {
  expect(problems(value)[0]?.path).toBe(path);
});

test("reports a wrong sender and all other problems", () => {
  const found = problems([
    { tool: 3, expect: "ask", sender: "ada" },
    null,
    { tool: "x", expect: "ask", sender: 1 },
  ]);
  expect(found.map(({ path }) => path)).toEqual(["[0].tool", "[1]", "[2].sender", "[0].sender"]);
});

test("reports all problems at once, with lines and suggestions", () => {
  const found = problems([
    { tool: "exec", expect: "aks" },
    { tol: "exec", expect: "ask" },
  ]);
  expect(found).toMatchObject([
    { path: "[0].expect", line: 1, nearest: ["ask"] },
    { path: "[1].tol", line: 2, nearest: ["tool"] },
    { path: "[1]", line: 2 },
  ]);
});

test("does not invent missing values", () => {
  expect(parsePolicyTests([{ tool: "read", expect: "allow" }], "t")).toEqual([
    { tool: "read", expect: "allow" },
  ]);
  expect(parsePolicyTests([{ tool: "read", expect: "allow", sender: "phone:+1 2" }], "t")).toMatchObject([
    { sender: { phone: "+12" } },
  ]);
});

const decided = (verdict: CallExplanation["verdict"]): CallExplanation => ({
  session: { key: "s", kind: "main", agentId: "main" },
  asked: "exec",
  found: "visible",
  verdict,
  reason: "exec needs approval.",
  trace: [
    {
      stage: "policy",
      layer: "ask",
      rule: 'ask "exec"',
      source: "p.yaml:3: ask[0]",
      verdict: "ask",
      decided: true,
    },
  ],
});

test.each<[CallExplanation["verdict"], PolicyExpectation["expect"], boolean]>([
  ["runs", "allow", true],
  ["asks", "ask", true],
  ["denied", "deny", true],
  ["hidden", "deny", true],
  ["asks", "allow", false],
  ["runs", "ask", false],
  ["invalid-arguments", "deny", false],
  ["unknown", "deny", false],
  ["broken", "deny", false],
  ["fails", "deny", false],
])("compares %s with the expected %s: %s", (verdict, expectation, passed) => {
  expect(runPolicyTest({ tool: "exec", expect: expectation }, decided(verdict)).passed).toBe(passed);
});

test.each([
  ["ask[0]", true],
  ['ask "exec"', true],
  ["needs approval", true],
  ["deny[0]", false],
])("compares because with %j: %s", (because, passed) => {
  expect(runPolicyTest({ tool: "exec", expect: "ask", because }, decided("asks")).passed).toBe(passed);
});

test.each([
  ["workspace", "workspace", true],
  ["workspace", "read-only", false],
  ["workspace", undefined, false],
  ["none", undefined, true],
  ["none", "workspace", false],
  [undefined, "workspace", true],
] as const)("compares containment %j with the required %j: %s", (containment, mode, passed) => {
  const expected: PolicyExpectation = {
    tool: "exec",
    expect: "ask",
    ...(containment && { containment }),
  };
  const wish = mode && { mode, network: "none" as const, usesHostCaches: true, source: "p.yaml" };
  const result = runPolicyTest(expected, decided("asks"), wish);
  expect(result.passed).toBe(passed);
  expect(result.containment).toBe(containment && (mode ?? "none"));
});
