/** Names a call among all. */
export function keyOf({ runId, toolCallId }: { runId: string; toolCallId: string }): string {
  return `${runId} ${toolCallId}`;
}
