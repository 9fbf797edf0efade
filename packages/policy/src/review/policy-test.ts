import type { Sender, SessionKind } from "@haft/core";
import type { CallExplanation } from "@haft/core/kernel";
import { withoutUndefined } from "@haft/utils";
import { policyError } from "../errors.ts";
import { containments, type ExecRules } from "../read/exec-config.ts";
import { sessionKinds } from "../read/policy-config.ts";
import { type KeyPath, type SourceMap, Problems } from "../read/problems.ts";
import { parseSenderKey } from "../read/sender-key.ts";
import { checkShape } from "../read/shape.ts";
import type { RequestedContainment } from "../rules/containment.ts";

/**
 * Describes the expected decision for one call.
 *
 * @example
 * ```ts
 * import type { PolicyExpectation } from "@haft/policy";
 *
 * const pushIsAsked: PolicyExpectation = {
 *   name: "a push needs approval",
 *   tool: "exec",
 *   args: { command: "git push" },
 *   expect: "ask",
 *   because: "exec",
 * };
 * ```
 */
export interface PolicyExpectation {
  /** States the purpose of the test. */
  name?: string;
  /** Contains the name, or `plugin/name`. */
  tool: string;
  /** Contains the arguments. Without them, the test checks if the tool could be called at all. */
  args?: Readonly<Record<string, unknown>>;
  /** Contains the expected effect. */
  expect: ExpectedEffect;
  /** Contains a part of the deciding rule or source. */
  because?: string;
  /** States the required containment, even if this machine cannot provide it. */
  containment?: ExpectedContainment;
  /** Selects the kind of session. Default `main`. */
  session?: SessionKind;
  /** Contains the id of the agent. */
  agent?: string;
  /** Contains `provider/model`, or a bare name. */
  model?: string;
  /** Names the message channel of the session. */
  channel?: string;
  /** Names the group or room. */
  group?: string;
  /** Contains the sender, or `system`. */
  sender?: Sender | "system";
  /** Counts from 1. */
  line?: number;
}

export type ExpectedEffect = "allow" | "ask" | "deny";
/** Lists the kinds of containment. `none`: no containment. */
export type ExpectedContainment = NonNullable<ExecRules["containment"]>;
const effects: readonly ExpectedEffect[] = ["allow", "ask", "deny"];
const words = { type: "string", minLength: 1 };
const properties: Readonly<Record<Exclude<keyof PolicyExpectation, "line">, object>> = {
  name: { ...words, description: "States the purpose of the test." },
  tool: { ...words, description: "Contains the name of the tool, or plugin/name." },
  args: {
    type: "object",
    description: "Contains the arguments of the call. Without them, the test is about the tool.",
  },
  expect: { enum: effects, description: "Contains the expected decision." },
  because: { ...words, description: "Contains a part of the deciding rule or of its source." },
  containment: { enum: containments, description: "Contains the expected containment of commands." },
  session: { enum: sessionKinds, default: "main", description: "Selects the kind of session." },
  agent: { ...words, description: "Contains the id of the agent." },
  model: { ...words, description: "Contains the model as provider/model, or its bare name." },
  channel: { ...words, description: "Names the message channel of the session." },
  group: { ...words, description: "Names the group or room." },
  sender: { ...words, description: "Contains the sender: id:…, phone:…, username:… or name:…, or system." },
};
const TESTS = {
  type: "array",
  items: { type: "object", properties, required: ["tool", "expect"], additionalProperties: false },
};

/** Describes the result of one expectation. */
export interface PolicyTestResult {
  /** Contains the tested expectation. */
  expectation: PolicyExpectation;
  /** Indicates the expected decision. */
  passed: boolean;
  /** Contains the actual effect; `error` if the call could never run. */
  effect: ExpectedEffect | "error";
  /** States the reason for the decision in one sentence. */
  reason: string;
  /** Contains the required containment, if expected. */
  containment?: ExpectedContainment;
  /** Contains the rule that decided. */
  rule?: string;
  /** Names the source of that rule. */
  source?: string;
}

/**
 * Parses a list of expectations.
 *
 * @param source The name of the file.
 * @throws HaftError `POLICY_TESTS_INVALID` with all problems in `details.problems`
 * @example
 * ```ts run
 * import { parsePolicyTests } from "@haft/policy";
 *
 * const tests = parsePolicyTests([{ tool: "write", expect: "deny", session: "group" }], "policy.tests.json");
 * tests; // => [{ tool: "write", expect: "deny", session: "group" }]
 * ```
 */
export function parsePolicyTests(value: unknown, source: string, positions?: SourceMap): PolicyExpectation[] {
  const problems = new Problems(positions);
  const expectations = readList(value, problems, positions);
  if (problems.items.length === 0) return expectations;
  const lines = problems.items.map(({ path, line, message, nearest = [] }) => {
    const hint = nearest.length > 0 ? ` Did you mean ${nearest.join(" or ")}?` : "";
    return `${source}${line === undefined ? "" : `:${line}`}: ${path === "" ? "" : `${path}: `}${message}${hint}`;
  });
  throw policyError("POLICY_TESTS_INVALID", lines.join("\n"), {
    details: { source, problems: problems.items.map((problem) => ({ ...problem })) },
  });
}

function readList(value: unknown, problems: Problems, positions: SourceMap | undefined): PolicyExpectation[] {
  checkShape(TESTS, value, problems);
  if (!Array.isArray(value)) return [];
  if (value.length === 0) problems.add([], { message: "Expected a list of expectations, got an empty one." });
  return value.map((written: Entry | undefined, index) => {
    const { sender: who, ...entry } = { ...written } as Entry;
    const sender = who && typeof who === "string" ? readSender(who, [index, "sender"], problems) : undefined;
    return withoutUndefined({ ...entry, sender, line: positions?.([index]) });
  });
}

type Entry = Omit<PolicyExpectation, "sender" | "line"> & { sender?: string };

function readSender(who: string, path: KeyPath, problems: Problems): Sender | "system" | undefined {
  const key = parseSenderKey(who);
  if ("message" in key) problems.add(path, key);
  else if (key.kind === "system") return "system";
  else if (key.kind === "anyone" || key.kind === "unknown" || key.channel !== undefined) {
    const message = `${JSON.stringify(who)} is not a single sender; write id:…, phone:…, username:…, name:… or system, or leave it out for an unknown sender.`;
    problems.add(path, { message });
  } else return { [key.kind]: key.value };
  return undefined;
}

/**
 * Compares a decision with an expectation.
 *
 * @param wanted The containment that the policy requires for the session.
 * @example
 * ```ts
 * import type { Session } from "@haft/core/kernel";
 * import { parsePolicyTests, runPolicyTest } from "@haft/policy";
 *
 * export async function checkRules(session: Session, text: string): Promise<string[]> {
 *   const tests = parsePolicyTests(JSON.parse(text), "policy.tests.json");
 *   const results = tests.map(async (test) => runPolicyTest(test, await session.explain(test.tool, test.args)));
 *   return (await Promise.all(results)).flatMap(({ passed, reason }) => (passed ? [] : [reason]));
 * }
 * ```
 */
export function runPolicyTest(
  expectation: PolicyExpectation,
  decided: CallExplanation,
  wanted?: RequestedContainment,
): PolicyTestResult {
  const effect = EFFECTS[decided.verdict];
  const step = decided.trace.find((each) => each.decided);
  const { because } = expectation;
  const fits =
    because === undefined ||
    [step?.rule, step?.source, decided.reason].some((text) => text?.includes(because));
  const containment = wanted?.mode ?? "none";
  const asWanted = expectation.containment === undefined || expectation.containment === containment;
  return {
    expectation,
    passed: effect === expectation.expect && fits && asWanted,
    effect,
    reason: decided.reason,
    ...(expectation.containment === undefined ? {} : { containment }),
    ...(step === undefined ? {} : { rule: step.rule, source: step.source }),
  };
}

const EFFECTS: Readonly<Record<CallExplanation["verdict"], PolicyTestResult["effect"]>> = {
  runs: "allow",
  asks: "ask",
  denied: "deny",
  hidden: "deny",
  "invalid-arguments": "error",
  fails: "error",
  loop: "error",
  absent: "error",
  broken: "error",
  unknown: "error",
};
