import { getErrorMessage } from "@haft/core";
import { MAX_APPROVAL_CHARACTERS } from "@haft/core/internal";
import { asRecord } from "@haft/utils";
import type { GuardAgent } from "../contract/agent.ts";
import type { GuardApprovals, GuardQuestion } from "../contract/approvals.ts";
import type { GuardPayload } from "../contract/payload.ts";
import type { Verdict } from "../contract/verdict.ts";
import { judge, type JudgeContext, type Judgement } from "./judge.ts";
import {
  toPlainLine,
  formatQuestion,
  formatDenial,
  formatQueueFull,
  formatViolation,
  formatTooLong,
  formatWaiting,
} from "./messages.ts";

/** Describes an unusable policy. Only reads that help to correct it are allowed. */
export interface BrokenPolicy {
  /** Describes the problem in one sentence. */
  problem: string;
  /** Contains absolute paths of readable files. */
  files: readonly string[];
  /** Contains the command that ends the denials. Default `haft guard uninstall`. */
  wayOut?: string;
}

/**
 * Contains the input of {@link decide}.
 *
 * @example
 * ```ts
 * import type { DecideContext } from "@haft/guard";
 * const broken: DecideContext = {
 *   policy: { broken: { problem: "policy.yaml:3: no such tool", files: ["/etc/agent/policy.yaml"] } },
 *   protectedPaths: { home: "/home/me", haftPaths: ["/etc/agent"], env: process.env },
 *   root: "/srv/project",
 *   env: process.env,
 * };
 * ```
 */
export interface DecideContext extends Omit<JudgeContext, "policy"> {
  /** Contains the policy or its problem. */
  policy: JudgeContext["policy"] | { broken: BrokenPolicy };
  /** Contains sentences for every answer. */
  notes?: readonly string[];
  /** Stores questions that the agent cannot ask. Without it, they are denials. */
  approvals?: GuardApprovals;
}

/**
 * Contains a verdict and its origin.
 *
 * @example
 * ```ts
 * import type { GuardDecision } from "@haft/guard";
 * const format = ({ verdict, approvalId }: GuardDecision) =>
 *   approvalId === undefined ? verdict.effect : `waits for an answer to ${approvalId}`;
 * ```
 */
export interface GuardDecision {
  /** Contains the verdict. */
  verdict: Verdict;
  /** Contains the judgement behind the verdict. Absent without a call or a policy. */
  judgement?: Judgement;
  /** Identifies the stored question. */
  approvalId?: string;
  /** Contains the consumed answer of a person. */
  answered?: "allow" | "deny";
}

/**
 * Decides about a payload.
 *
 * @throws the error of `context.approvals`
 *
 * @example
 * ```ts
 * import { decide, getAgent, guardTools, type GuardPayload } from "@haft/guard";
 * import { createPolicy } from "@haft/policy";
 * declare const payload: GuardPayload;
 * const agent = getAgent(payload.agent);
 * const policy = createPolicy({ deny: ["write"] }, { tools: guardTools(agent), partial: true });
 * const protectedPaths = { home: "/home/me", haftPaths: [], env: process.env };
 * const { verdict } = await decide(agent, payload, { policy, protectedPaths, root: payload.cwd, env: process.env });
 * ```
 */
export async function decide(
  agent: GuardAgent,
  payload: GuardPayload,
  { notes = [], approvals, ...context }: DecideContext,
): Promise<GuardDecision> {
  if (payload.calls.length === 0) return { verdict: { effect: "allow", reason: "" } };
  const { policy } = context;
  if ("broken" in policy) return { verdict: whileBroken(payload, policy.broken) };
  const judgement = await judge(agent, payload, { ...context, policy });
  const { decisiveCall, effect } = judgement;
  const note = notes.length > 0 ? { note: notes.map((each) => toPlainLine(each, 500)).join(" ") } : {};
  if (effect === "allow" || decisiveCall === undefined)
    return { verdict: { effect: "allow", reason: "", ...note }, judgement };
  if (decisiveCall.violation !== undefined)
    return { verdict: { effect, reason: formatViolation(decisiveCall.violation) }, judgement };
  const decision = decisiveCall.decision!;
  const denied = (why: string) => ({ verdict: { effect: "deny" as const, reason: why }, judgement });
  if (effect === "deny") return denied(formatDenial(decision, notes));
  const { length } = shownOf(payload);
  if (length > MAX_APPROVAL_CHARACTERS) return denied(formatTooLong(decision, length, notes));
  if (agent.asks(payload)) return { verdict: { effect, reason: formatQuestion(decision, notes) }, judgement };
  if (approvals === undefined) return denied(formatWaiting(decision, undefined, notes));
  const answer = await approvals.ask(questionOf(payload, judgement));
  if ("approvalId" in answer) {
    const { approvalId } = answer;
    return { ...denied(formatWaiting(decision, approvalId, notes)), approvalId };
  }
  if ("waiting" in answer) return denied(formatQueueFull(decision, answer.waiting, notes));
  const answered = answer.decided;
  if (answered === "allow") return { verdict: { effect: "allow", reason: "", ...note }, judgement, answered };
  const reason = "Haft denies this call: a person denied it. Do not try it in another way.";
  return { ...denied(reason), answered };
}

/** Without a path: any folder can contain a file with that name. */
const STATUS = /^\s*haft\s+guard\s+status(?:\s+--[a-z-]+)*\s*$/;
const CAT = /^\s*cat\s+(?:--\s+)?(?:'([^']*)'|"([^"$`\\]*)"|([\w./@:+-]+))\s*$/;

function whileBroken({ calls }: GuardPayload, { problem, files, wayOut }: BrokenPolicy): Verdict {
  const helps = calls.every((call) => {
    if (call.kind === "command") return STATUS.test(call.text) || files.includes(shownBy(call.text));
    return call.kind === "files" && call.tool === "read" && call.paths.every((path) => files.includes(path));
  });
  if (helps) return { effect: "allow", reason: "" };
  return { effect: "deny", failed: true, reason: sayBroken(problem, wayOut) };
}

function shownBy(text: string): string {
  const [, one, other, bare] = CAT.exec(text) ?? [];
  return one ?? other ?? bare ?? "";
}

/** A hook does not know where it is installed. */
const UNINSTALL = "haft guard uninstall (with --project if it is installed in the project)";

function sayBroken(problem: string, wayOut = UNINSTALL): string {
  const why = toPlainLine(problem, 600).replace(/\.$/, "");
  return `Haft denies every call: ${why}. A person must correct this and can check it with haft guard status. To end the denials, a person runs: ${toPlainLine(wayOut, 300)}`;
}

const FULL = /disk is full|\b(?:ENOSPC|EDQUOT)\b/;

/**
 * Returns the denial for an undecidable call.
 *
 * @example
 * ```ts run
 * import { verdictFromError } from "@haft/guard";
 * verdictFromError(new Error("the policy cannot be read")).effect; // => "deny"
 * ```
 */
export function verdictFromError(thrown: unknown): Verdict {
  const why = toPlainLine(getErrorMessage(thrown), 500).replace(/\.$/, "");
  const wayOut = FULL.test(why)
    ? "To end the denials, a person frees disk space."
    : `haft guard status has details. To end the denials, a person runs: ${UNINSTALL}`;
  const reason = `Haft denies this call, because it could not decide: ${why}. ${wayOut}`;
  return { effect: "deny", failed: true, reason };
}

/** A model words these differently each time. */
const VOLATILE = new Set(["description", "explanation", "justification", "timeout", "run_in_background"]);

function questionOf(payload: GuardPayload, { decisiveCall, judged }: Judgement): GuardQuestion {
  const { toolName, toolInput, cwd, agent } = payload;
  const { id, name, effects } = decisiveCall!.tool;
  const programs = judged.flatMap(({ subjects }) => subjects?.command?.commands ?? []);
  const paths = judged.flatMap(({ subjects }) => subjects?.paths ?? []);
  return {
    payload,
    tool: { id, name, effects },
    reason: decisiveCall?.decision?.reason ?? "",
    preview: shownOf(payload),
    parts: {
      agent,
      tool: toolName,
      folder: cwd,
      arguments: canonical(withoutVolatile(toolInput)),
      programs: canonical(programs.map(({ name: word, path = "" }) => [word, path])),
      paths: canonical(paths.map(({ path, access }) => [access, path])),
    },
  };
}

function shownOf({ agent, toolName, toolInput, cwd }: GuardPayload): string {
  const { command } = asRecord(toolInput);
  const isLine =
    typeof command === "string" && Object.keys(withoutVolatile(toolInput) as object).length === 1;
  const what = isLine ? command : JSON.stringify(toolInput, undefined, 2);
  return `${agent} calls ${toolName} in ${cwd}\n${what}`;
}

function withoutVolatile(input: unknown): unknown {
  if (asRecord(input) !== input) return input;
  return Object.fromEntries(Object.entries(input).filter(([key]) => !VOLATILE.has(key)));
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    return asRecord(inner) === inner
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner;
  });
}
