/** Names a call among all. */
export function keyOf({ runId, toolCallId }: { runId: string; toolCallId: string }): string {
  return `${runId} ${toolCallId}`;
}

/** What was kept of calls of a run, under the name that it has now. Answers the keys from before. */
export function renameKeys(kept: Map<string, unknown>, was: string, runId: string): string[] {
  const keys = [...kept.keys()].filter((key) => key.startsWith(`${was} `));
  for (const key of keys) {
    kept.set(`${runId}${key.slice(was.length)}`, kept.get(key));
    kept.delete(key);
  }
  return keys;
}
