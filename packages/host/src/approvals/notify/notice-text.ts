import type { ApprovalRequestRecord } from "@haft/core";
import { listChoices, redactSecrets, riskLines } from "@haft/core/internal";
import { shellWord, escapeInvisible } from "@haft/utils";
import { hostname } from "node:os";
import { formatCallLine } from "../format-call-line.ts";

/** Describes a pending call for a notice. Texts are one line without hidden characters or secrets. */
export interface Notice {
  approvalId: string;
  tool: string;
  /** The call and its place, in about 300 characters at most. */
  line: string;
  risks: string[];
  answer: string;
  /** The call's expiry, in milliseconds since the epoch. */
  expiresAt: number;
}

const MAX_RISKS = 3;
const LONGEST_RISK = 160;
const LONGEST_NAME = 80;

export function toNotice(request: ApprovalRequestRecord, where: readonly [string, string][] = []): Notice {
  const { approvalId, tool, sessionKind, sessionKey, agentId, args, expiresAt } = request;
  const call = formatCallLine(tool.name, args);
  const who = `${sessionKind} session ${named(sessionKey)}, agent ${named(agentId)}`;
  const options = where.map(([option, value]) => ` ${option} ${redactSecrets(shellWord(value))}`).join("");
  const [first, ...others] = listChoices(request);
  return {
    approvalId,
    tool: named(tool.name),
    line: `${call} (${who})`,
    risks: riskLines(request)
      .slice(0, MAX_RISKS)
      .map((each) => named(each, LONGEST_RISK)),
    answer: `haft approvals answer ${approvalId} ${first}${options} (or ${others.join(", ")}; on ${named(hostname())})`,
    expiresAt,
  };
}

export function formatNotice({ approvalId, line, risks, answer }: Notice): string {
  const marks = risks.map((each) => ` ${each}`).join("");
  return `Approval ${approvalId} is waited for: ${line}.${marks} Answer: ${answer}`;
}

function named(text: string, most = LONGEST_NAME): string {
  const shown = redactSecrets(escapeInvisible(text));
  return shown.length > most ? `${shown.slice(0, most).toWellFormed()}…` : shown;
}
