import type { ToolResult } from "@haft/core";

/**
 * What a call reports while it runs, one after the other, and at last what it resolves to. Whoever stops listening has the call go on:
 * an abort is said by a signal.
 */
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
