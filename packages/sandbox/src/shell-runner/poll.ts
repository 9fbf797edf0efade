import { setTimeout as sleep } from "node:timers/promises";

/** Time between two looks at a process somebody waits for: from soon to seldom. */
const POLL_MS = [2, 5, 10, 20, 50, 100, 150] as const;

/** How long to wait before the next look. */
export function pollMs(turn: number): number {
  return POLL_MS[Math.min(turn, POLL_MS.length - 1)]!;
}

export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  // Cut short by the signal, which the caller looks at.
  await sleep(ms, undefined, signal === undefined ? {} : { signal }).catch(() => {});
}
