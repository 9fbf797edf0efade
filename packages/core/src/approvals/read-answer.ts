import { withoutUndefined } from "@haft/utils";
import type { ApprovalAnswer, ApprovalDecision, ApprovalRequestRecord } from "../contract/approval-port.ts";
import { HaftError } from "../contract/errors.ts";
import type { GrantOffer } from "../contract/plan.ts";
import { coreError } from "../errors.ts";
import { checkOptions, invalidOptions, optionsSchema } from "../parameters/check-options.ts";

const DECISIONS: readonly ApprovalDecision[] = ["allow-once", "allow-always", "deny"];
const GRANTS: readonly GrantOffer["kind"][] = ["exact", "program"];
const A_CENTURY = 100 * 365 * 24 * 3_600_000;

const ANSWER = /* @__PURE__ */ optionsSchema<ApprovalAnswer>(
  {
    decision: { enum: DECISIONS },
    grant: { enum: GRANTS },
    forMs: { type: "number", exclusiveMinimum: 0, maximum: A_CENTURY },
    by: { type: "string" },
  },
  ["decision"],
);

export function readApprovalAnswer(given: unknown): ApprovalAnswer | undefined {
  try {
    return requireAnswer(given);
  } catch {
    return undefined;
  }
}

/**
 * A misspelled `forMs` would grant without an end, so unknown keys are errors.
 *
 * @throws HaftError `INVALID_DECISION`, which names the key
 */
export function requireAnswer(given: unknown): ApprovalAnswer {
  try {
    // A getter is read once.
    const answer = (typeof given === "object" ? { ...given } : { decision: given }) as ApprovalAnswer;
    checkOptions("This decision", answer, ANSWER);
    const { decision, grant, forMs, by } = answer;
    if (decision !== "allow-always" && (grant ?? forMs) !== undefined)
      throw invalidOptions(`${grant === undefined ? "forMs" : "grant"} needs allow-always.`);
    return withoutUndefined({ decision, grant, forMs, by });
  } catch (thrown) {
    const problem = HaftError.is(thrown) ? thrown.message : "This decision cannot be read.";
    throw coreError("INVALID_DECISION", problem, {
      fix: `Decide again with ${DECISIONS.join(", ")}, or an object with decision, grant (${GRANTS.join(" or ")}), forMs (milliseconds) and by (a text).`,
    });
  }
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
