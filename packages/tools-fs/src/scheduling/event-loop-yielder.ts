/** How long work may go on before other work gets its turn. */
const TURN_MS = 4;

/** Keeps long work from holding the event loop: await {@link pause} often; it rarely waits. */
export class EventLoopYielder {
  private started = performance.now();

  pause(): Promise<void> | undefined {
    if (performance.now() - this.started < TURN_MS) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        this.started = performance.now();
        resolve();
      });
    });
  }
}
