import type { ApprovalAnswer, ApprovalRequestRecord } from "@haft/core";
import { isGuardRequest } from "@haft/guard/internal/clients";
import type { DeliveryStatus } from "@haft/host/internal/approvals";
import { escapeInvisible } from "@haft/utils";
import { formatUntil } from "./times.ts";

export function describeOutcome(
  request: ApprovalRequestRecord,
  given: ApprovalAnswer,
  delivery: DeliveryStatus,
  continuation?: string,
): string {
  const { approvalId, tool } = request;
  const title = `${tool.name} (${approvalId}): ${outcomeOf(given, request)}.`;
  switch (delivery) {
    case "taken":
      return title;
    case "kept":
      return `${title}\n${describeNextStep(request, continuation, given)}`;
    case "too late":
      return `haft: no program took the answer to ${approvalId}: the call was decided elsewhere or cancelled, or its program has ended.`;
  }
}

const CONTINUED: Readonly<Record<string, string>> = {
  claude: " (claude --continue)",
  codex: " (codex resume --last)",
  copilot: " (copilot --continue)",
  opencode: " (opencode --continue)",
  pi: " (pi --continue)",
};

export function describeNextStep(
  request: ApprovalRequestRecord,
  continuation: string | undefined,
  given?: ApprovalAnswer,
): string {
  const { attended, agentId } = request;
  if (isGuardRequest(request)) {
    const agent = escapeInvisible(agentId);
    return given === undefined
      ? `Haft told ${agent} to make this exact call again, in the same conversation, after the answer.`
      : `The answer is stored for a day: the call ${given.decision === "deny" ? "is denied" : "is allowed"} when ${agent} makes it again in the same conversation${CONTINUED[agentId] ?? ""}.`;
  }
  if (attended !== false && given !== undefined)
    return "The program is busy and has not taken the answer yet; the answer is stored for a day.";
  const what = given?.decision === "deny" ? "is denied" : "runs";
  if (given === undefined)
    return continuation === undefined
      ? "The program no longer waits: an answer applies when the same call is made again."
      : `The program has ended. The call waits until ${continuation}`;
  return continuation === undefined
    ? `The program no longer waits. The answer is stored for a day: the call ${what} when it is made again.`
    : `The program has ended. The answer is stored for a day: the call ${what} when the same call is made again, or when ${continuation}`;
}

function outcomeOf(
  { decision, grant = "exact", forMs }: ApprovalAnswer,
  { offers }: ApprovalRequestRecord,
): string {
  if (decision === "deny") return "denied";
  if (decision === "allow-once") return "allowed once";
  const what = offers.filter(({ kind }) => kind === grant).map(({ summary }) => escapeInvisible(summary));
  const end =
    forMs === undefined ? "until revoked" : `expires ${formatUntil(Date.now() + forMs, Date.now())}`;
  return `always allowed: ${what.join(", ")} (${end})`;
}
