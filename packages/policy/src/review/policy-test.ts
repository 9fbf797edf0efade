import { type Sender, type SessionKind, withoutUndefined } from "@haft/core";
import type { CallExplanation } from "@haft/core/kernel";
import { policyError } from "../errors.ts";
import { sessionKinds } from "../read/policy-config.ts";
import { type KeyPath, type Positions, Problems } from "../read/problems.ts";
import { readObject, readWord, show } from "../read/read-values.ts";
import { parseSenderKey } from "../read/sender-key.ts";

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
const effects: readonly ExpectedEffect[] = ["allow", "ask", "deny"];
const keys = [
  "name",
  "tool",
  "args",
  "expect",
  "because",
  "session",
  "agent",
  "model",
  "channel",
  "group",
  "sender",
];

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
  /** The rule that decided. */
  rule?: string;
  /** Where it stands. */
  source?: string;
}

/**
 * Reads a file of tests: a list of expectations.
 *
 * @param value what was parsed from the file
 * @throws HaftError `POLICY_TESTS_INVALID` with every problem in `details.problems`
 */
export function parsePolicyTests(value: unknown, source: string, positions?: Positions): PolicyExpectation[] {
  const problems = new Problems(positions);
  const expectations = readList(value, problems, positions);
  if (problems.found.length === 0) return expectations;
  const lines = problems.found.map(({ path, line, message, nearest = [] }) => {
    const hint = nearest.length > 0 ? ` Did you mean ${nearest.join(" or ")}?` : "";
    return `${source}${line === undefined ? "" : `:${line}`}: ${path === "" ? "" : `${path}: `}${message}${hint}`;
  });
  throw policyError("POLICY_TESTS_INVALID", lines.join("\n"), {
    fix: "Write a list of entries with tool, args, session and expect (allow, ask or deny).",
    details: { source, problems: problems.found.map((problem) => ({ ...problem })) },
  });
}

function readList(value: unknown, problems: Problems, positions: Positions | undefined): PolicyExpectation[] {
  if (!Array.isArray(value) || value.length === 0) {
    problems.add([], {
      message: `Expected a list of expectations, got ${Array.isArray(value) ? "an empty one" : show(value)}.`,
    });
    return [];
  }
  return value.map((entry: unknown, index) => {
    const line = positions?.([index]);
    return withoutUndefined({ ...readEntry(entry, [index], problems), line });
  });
}

function readEntry(value: unknown, path: KeyPath, problems: Problems): PolicyExpectation {
  const fields = readObject(value, path, keys, problems);
  const need = (key: string) => {
    if (fields[key] === undefined) problems.add(path, { message: `It has no ${key}.` });
  };
  need("tool");
  need("expect");
  const entry: PolicyExpectation = {
    tool: readText(fields["tool"], [...path, "tool"], problems) ?? "",
    expect: readWord(fields["expect"], [...path, "expect"], effects, problems) ?? "deny",
  };
  for (const key of ["name", "because", "agent", "model", "channel", "group"] as const) {
    const text = readText(fields[key], [...path, key], problems);
    if (text !== undefined) entry[key] = text;
  }
  const session = readWord(fields["session"], [...path, "session"], sessionKinds, problems);
  if (session !== undefined) entry.session = session;
  if (fields["args"] !== undefined) {
    entry.args = { ...readObject(fields["args"], [...path, "args"], undefined, problems) };
  }
  if (fields["sender"] !== undefined) {
    const sender = readSender(fields["sender"], [...path, "sender"], problems);
    if (sender !== undefined) entry.sender = sender;
  }
  return entry;
}

function readText(value: unknown, path: KeyPath, problems: Problems): string | undefined {
  if (value === undefined || (typeof value === "string" && value !== "")) return value;
  problems.add(path, { message: `Expected text, got ${show(value)}.` });
  return undefined;
}

function readSender(value: unknown, path: KeyPath, problems: Problems): Sender | "system" | undefined {
  const text = readText(value, path, problems);
  if (text === undefined) return undefined;
  const key = parseSenderKey(text);
  if ("message" in key) problems.add(path, key);
  else if (key.kind === "system") return "system";
  else if (key.kind === "anyone" || key.kind === "unknown" || key.channel !== undefined) {
    const message = `${JSON.stringify(text)} is not one person; write id:…, phone:…, username:…, name:… or system, and leave it out when nobody is known.`;
    problems.add(path, { message });
  } else return { [key.kind]: key.value };
  return undefined;
}

/** Compares what a policy decided with what was expected. */
export function judgeExpectation(expectation: PolicyExpectation, decided: CallExplanation): PolicyTestResult {
  const effect = effectOf(decided);
  const step = decided.trace.find((each) => each.decided);
  const { because } = expectation;
  const fits =
    because === undefined ||
    [step?.rule, step?.source, decided.reason].some((text) => text?.includes(because));
  return {
    expectation,
    passed: effect === expectation.expect && fits,
    effect,
    reason: decided.reason,
    ...(step === undefined ? {} : { rule: step.rule, source: step.source }),
  };
}

function effectOf({ verdict }: CallExplanation): PolicyTestResult["effect"] {
  switch (verdict) {
    case "runs":
      return "allow";
    case "asks":
      return "ask";
    case "denied":
    case "hidden":
      return "deny";
    case "invalid-arguments":
    case "fails":
    case "loop":
    case "broken":
    case "unknown":
      return "error";
  }
}
