import { isBusy } from "./database-error.ts";

const PAUSE_MS = 5;

/** For the one statement for which SQLite does not wait by itself. */
export function untilFree(act: () => void, limitMs: number): void {
  const end = performance.now() + limitMs;
  const never = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    try {
      act();
      return;
    } catch (thrown) {
      if (!isBusy(thrown) || performance.now() > end) throw thrown;
      Atomics.wait(never, 0, 0, PAUSE_MS);
    }
  }
}
