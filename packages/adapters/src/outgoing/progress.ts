import type { ToolResult } from "@haft/core";

/** Yields the progress of a call, then returns its outcome. The call continues if the reader stops; only a signal aborts it. */
export async function* streamProgress<Outcome>(
  call: (onUpdate: (partial: ToolResult) => void) => Promise<Outcome>,
): AsyncGenerator<ToolResult, Outcome, void> {
  let waiting: ToolResult[] = [];
  let wake = Promise.withResolvers<void>();
  const outcome = call((partial) => {
    waiting.push(partial);
    wake.resolve();
  });
  const ended = outcome.then(
    () => true,
    () => true,
  );
  for (;;) {
    const isOver = await Promise.race([ended, wake.promise.then(() => false)]);
    const told = waiting;
    waiting = [];
    wake = Promise.withResolvers<void>();
    yield* told;
    if (isOver) return await outcome;
  }
}
