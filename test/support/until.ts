import { setTimeout as sleep } from "node:timers/promises";

/** Just before a test is given up as hanging, so that it says what it waited for. No limit on how slow a machine may be. */
export const PATIENCE_MS = 100_000;

/** Waits until something is so; fails the test when it does not come about. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  if (!(await eventually(isSo))) throw new Error(`It never came about: ${what}.`);
}

/** Whether something comes to be so. */
export async function eventually(isSo: () => boolean | Promise<boolean>): Promise<boolean> {
  const start = performance.now();
  while (!(await isSo())) {
    const waited = performance.now() - start;
    if (waited > PATIENCE_MS) return false;
    // The longer it takes, the seldomer it is asked: what is asked may be dear, and never comes a tenth later for it.
    await sleep(Math.min(Math.max(waited / 10, 5), 100));
  }
  return true;
}
