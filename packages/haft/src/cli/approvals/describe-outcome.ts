import type { ApprovalAnswer, ApprovalRequestRecord } from "@haft/core";
import { isGuardRequest } from "@haft/guard/internal/clients";
import type { DeliveryStatus } from "@haft/host/internal/approvals";
import { escapeInvisible } from "@haft/utils";
import { formatUntil } from "./times.ts";

export function describeOutcome(
  request: ApprovalRequestRecord,
  given: ApprovalAnswer,
  heard: DeliveryStatus,
  resume?: string,
): string {
  const { approvalId, tool } = request;
  const said = `${tool.name} (${approvalId}): ${outcomeOf(given, request)}.`;
  switch (heard) {
    case "taken":
      return said;
    case "kept":
      return `${said}\n${describeNextStep(request, resume, given)}`;
    case "too late":
      return `haft: nobody took the answer to ${approvalId}: its call was decided elsewhere or cancelled meanwhile, or the program that asked is gone.`;
  }
}

/** In a new conversation the agent asks again. */
const CONTINUED: Readonly<Record<string, string>> = {
  claude: " (claude --continue)",
  codex: " (codex resume --last)",
  copilot: " (copilot --continue)",
  opencode: " (opencode --continue)",
  pi: " (pi --continue)",
};

export function describeNextStep(
  request: ApprovalRequestRecord,
  resume: string | undefined,
  given?: ApprovalAnswer,
): string {
  const { attended, agentId } = request;
  if (isGuardRequest(request)) {
    const agent = escapeInvisible(agentId);
    return given === undefined
      ? `${agent} was told to make this very call again, in the same conversation, once it is answered.`
      : `The answer is kept for a day: the call ${given.decision === "deny" ? "is refused" : "goes through"} when ${agent} makes it again in the same conversation${CONTINUED[agentId] ?? ""}.`;
  }
  if (attended !== false && given !== undefined)
    return "The program that asked is busy and has not taken the answer yet; it is kept for a day.";
  const what = given?.decision === "deny" ? "is refused" : "runs";
  if (given === undefined)
    return resume === undefined
      ? "Whoever asked does not wait any more: an answer counts when the same call is made again."
      : `The program that asked is gone: waits for its session to be resumed: ${resume}`;
  return resume === undefined
    ? `Whoever asked does not wait any more. The answer is kept for a day: the call ${what} when it is made again.`
    : `The program that asked is gone. The answer is kept for a day: the call ${what} when the same call is made again, or when its session is resumed: ${resume}`;
}

function outcomeOf(
  { decision, grant = "exact", forMs }: ApprovalAnswer,
  { offers }: ApprovalRequestRecord,
): string {
  if (decision === "deny") return "denied";
  if (decision === "allow-once") return "allowed this once";
  const what = offers.filter(({ kind }) => kind === grant).map(({ summary }) => escapeInvisible(summary));
  const end =
    forMs === undefined ? "until revoked" : `it ends ${formatUntil(Date.now() + forMs, Date.now())}`;
  return `allowed for good: ${what.join(", ")} (${end})`;
}
