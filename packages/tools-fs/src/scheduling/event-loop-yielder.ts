const TURN_MS = 4;

/** Prevents long work from blocking the event loop. Call {@link pause} often; it rarely waits. */
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
