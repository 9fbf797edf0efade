interface Part {
  type?: unknown;
  approvalId?: unknown;
  toolCallId?: unknown;
  approved?: unknown;
}

/** Whether the messages of a turn of the AI SDK hold the request for approval of this call, and a person's yes to it. */
export function wasApproved(messages: unknown, toolCallId: string): boolean {
  const parts = Array.isArray(messages) ? messages.flatMap(partsOf) : [];
  const requests = parts.filter(
    (part) => part.type === "tool-approval-request" && part.toolCallId === toolCallId,
  );
  const answers = parts.filter(
    (part) =>
      part.type === "tool-approval-response" &&
      requests.some(({ approvalId }) => typeof approvalId === "string" && approvalId === part.approvalId),
  );
  return answers.length > 0 && answers.every(({ approved }) => approved === true);
}

function partsOf(message: unknown): Part[] {
  const content = (message as { content?: unknown } | null)?.content;
  if (!Array.isArray(content)) return [];
  return content.filter((part): part is Part => typeof part === "object" && part !== null);
}
