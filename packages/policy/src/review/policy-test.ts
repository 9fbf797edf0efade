import { type Sender, type SessionKind, withoutUndefined } from "@haft/core";
import type { CallExplanation } from "@haft/core/kernel";
import { policyError } from "../errors.ts";
import { containments, type ExecRules } from "../read/exec-config.ts";
import { sessionKinds } from "../read/policy-config.ts";
import { type KeyPath, type SourceMap, Problems } from "../read/problems.ts";
import { parseSenderKey } from "../read/sender-key.ts";
import { checkShape } from "../read/shape.ts";
import type { RequestedContainment } from "../rules/containment.ts";

/** What a policy is expected to decide about one call, as it stands in a file of tests. */
export interface PolicyExpectation {
  /** What it is for, in words. */
  name?: string;
  /** Name of the tool, or `plugin/name`. */
  tool: string;
  /** Of the call. Without them the question is about the tool: could it be called at all? */
  args?: Readonly<Record<string, unknown>>;
  /** What is to be decided. */
  expect: ExpectedEffect;
  /** Part of the rule that decides, or of where it stands. */
  because?: string;
  /** How the policy wants the commands of such a session contained, whether or not this machine can. */
  containment?: ExpectedContainment;
  /** Default `main`. */
  session?: SessionKind;
  /** Id of the agent. */
  agent?: string;
  /** `provider/model`, or the model alone. */
  model?: string;
  /** Message channel that the session came from. */
  channel?: string;
  /** Group or room. */
  group?: string;
  /** Who wrote, or `system` for a turn that the host started. */
  sender?: Sender | "system";
  /** The line it stands in, counted from 1, when that is known. */
  line?: number;
}

/** What a policy decides about a call. */
export type ExpectedEffect = "allow" | "ask" | "deny";
/** `none`: not at all. */
export type ExpectedContainment = NonNullable<ExecRules["containment"]>;
const effects: readonly ExpectedEffect[] = ["allow", "ask", "deny"];
const words = { type: "string", minLength: 1 };
const properties: Readonly<Record<Exclude<keyof PolicyExpectation, "line">, object>> = {
  name: { ...words, description: "What it is for, in words." },
  tool: { ...words, description: "Name of the tool, or plugin/name." },
  args: { type: "object", description: "Of the call. Without them the question is about the tool." },
  expect: { enum: effects, description: "What is to be decided." },
  because: { ...words, description: "Part of the rule that decides, or of where it stands." },
  containment: { enum: containments, description: "How commands of such a session are to be contained." },
  session: { enum: sessionKinds, default: "main", description: "Kind of session." },
  agent: { ...words, description: "Id of the agent." },
  model: { ...words, description: "provider/model, or the model alone." },
  channel: { ...words, description: "Message channel that the session came from." },
  group: { ...words, description: "Group or room." },
  sender: { ...words, description: "Who wrote: id:…, phone:…, username:… or name:…, or system." },
};
const TESTS = {
  type: "array",
  items: { type: "object", properties, required: ["tool", "expect"], additionalProperties: false },
};

/** How one expectation fared. */
export interface PolicyTestResult {
  /** What was expected. */
  expectation: PolicyExpectation;
  /** Is it what was decided? */
  passed: boolean;
  /** What was decided; `error` when the call as it stands could never be made. */
  effect: ExpectedEffect | "error";
  /** Why it was decided so, in one sentence. */
  reason: string;
  /** How the policy wants commands contained, where an expectation is about that. */
  containment?: ExpectedContainment;
  /** The rule that decided. */
  rule?: string;
  /** Where it stands. */
  source?: string;
}

/** Reads a list of expectations. @throws HaftError `POLICY_TESTS_INVALID` with all problems in `details.problems` */
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
    const message = `${JSON.stringify(who)} is not one person; write id:…, phone:…, username:…, name:… or system, and leave it out when nobody is known.`;
    problems.add(path, { message });
  } else return { [key.kind]: key.value };
  return undefined;
}

/** Compares a decision with an expectation. @param wanted how the policy wants the session's commands contained */
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
