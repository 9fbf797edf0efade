import type { Session } from "@haft/core/kernel";

/**
 * Follows the calls that waited when their run was left: one that was allowed meanwhile runs by itself, and whoever continues
 * the run stays for it.
 */
export function followResumed(session: Session): { ended(): Promise<void> } {
  const waited = new Set(
    session
      .ledger()
      .filter(({ status }) => status === "pending")
      .map(({ toolCallId }) => toolCallId),
  );
  if (waited.size === 0) return { ended: () => session.continued() };
  const running = new Set<string>();
  let whenNone: (() => void) | undefined;
  const unsubscribe = session.subscribe((event) => {
    if (event.type === "tool-start" && waited.has(event.toolCallId)) running.add(event.toolCallId);
    if (event.type === "tool-end" && running.delete(event.toolCallId) && running.size === 0) whenNone?.();
  });
  return {
    async ended() {
      await session.continued();
      if (running.size > 0) await new Promise<void>((resolve) => (whenNone = resolve));
      unsubscribe();
    },
  };
}
