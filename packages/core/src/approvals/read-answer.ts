import { withoutUndefined } from "@haft/utils";
import type { ApprovalAnswer, ApprovalDecision, ApprovalRequestRecord } from "../contract/approval-port.ts";
import type { GrantOffer } from "../contract/plan.ts";
import { coreError } from "../errors.ts";

const DECISIONS: readonly ApprovalDecision[] = ["allow-once", "allow-always", "deny"];
const GRANTS: readonly GrantOffer["kind"][] = ["exact", "program"];
const A_CENTURY = 100 * 365 * 24 * 3_600_000;

export function readApprovalAnswer(given: unknown): ApprovalAnswer | undefined {
  try {
    return check((typeof given === "string" ? { decision: given } : given) as ApprovalAnswer);
  } catch {
    return undefined;
  }
}

function check({ decision, grant, forMs, by }: ApprovalAnswer): ApprovalAnswer | undefined {
  if (!DECISIONS.includes(decision)) return undefined;
  const isForGood = decision === "allow-always";
  if (grant !== undefined && !(isForGood && GRANTS.includes(grant))) return undefined;
  if (forMs !== undefined && !(isForGood && typeof forMs === "number" && forMs > 0 && forMs <= A_CENTURY))
    return undefined;
  if (by !== undefined && typeof by !== "string") return undefined;
  return withoutUndefined({ decision, grant, forMs, by });
}

export function requireAnswer(given: unknown): ApprovalAnswer {
  const answer = readApprovalAnswer(given);
  if (answer !== undefined) return answer;
  throw coreError("INVALID_DECISION", `An approval is decided with one of ${DECISIONS.join(", ")}.`, {
    fix: "Decide again; the call still waits. With allow-always a grant may be named: exact or program.",
  });
}

/** @throws HaftError `INVALID_DECISION` for an `allow-always` that was not offered */
export function requireOffer(
  { offers, noAlways, noProgramGrant }: Pick<ApprovalRequestRecord, "offers" | "noAlways" | "noProgramGrant">,
  { decision, grant = "exact" }: ApprovalAnswer,
): void {
  if (decision !== "allow-always" || offers.some(({ kind }) => kind === grant)) return;
  const why = noAlways ?? noProgramGrant ?? "it has no program that a grant could cover";
  throw coreError("INVALID_DECISION", `This call cannot be allowed permanently: ${why}.`, {
    fix: offers.length > 0 ? "Use allow-once, or allow-always for this exact call." : "Use allow-once.",
  });
}

/** Contains a parsed `/approve` command. */
export interface ApproveCommand {
  /** Identifies the request. */
  approvalId: string;
  /** Contains the answer. */
  answer: ApprovalAnswer;
}

const SHORT = new Map([
  ["once", "allow-once"],
  ["always", "allow-always"],
  ["no", "deny"],
]);

/**
 * Parses `/approve ID allow-once|allow-always|deny`, with `exact` or `program` after `allow-always`. `once`, `always` and `no` are short
 * forms. Returns `undefined` for other texts.
 *
 * @throws HaftError `INVALID_DECISION` for an unknown or missing decision
 *
 * @example
 * ```ts run
 * import { parseApproveCommand } from "@haft/core/kernel";
 *
 * parseApproveCommand("/approve k3fw9ab2 always program")?.answer; // => { decision: "allow-always", grant: "program" }
 * parseApproveCommand("good morning"); // => undefined
 * ```
 */
export function parseApproveCommand(text: string): ApproveCommand | undefined {
  const [command, approvalId, word, grant, ...rest] = text.trim().split(/\s+/);
  if (command?.toLowerCase() !== "/approve") return undefined;
  const decision = word === undefined ? undefined : (SHORT.get(word.toLowerCase()) ?? word.toLowerCase());
  const answer = readApprovalAnswer({
    decision,
    ...(grant === undefined ? {} : { grant: grant.toLowerCase() }),
  });
  if (approvalId !== undefined && answer !== undefined && rest.length === 0) {
    return { approvalId: approvalId.toLowerCase(), answer };
  }
  const message = `This command lacks a valid approval id or decision: ${JSON.stringify(text.slice(0, 200))}.`;
  const fix = "Write /approve ID allow-once, /approve ID allow-always [exact|program] or /approve ID deny.";
  throw coreError("INVALID_DECISION", message, { fix });
}
