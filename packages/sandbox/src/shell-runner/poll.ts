import { setTimeout as sleep } from "node:timers/promises";

const POLL_MS = [2, 5, 10, 20, 50, 100, 150] as const;

export function pollMs(turn: number): number {
  return POLL_MS[Math.min(turn, POLL_MS.length - 1)]!;
}

export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  // Cut short by the signal, which the caller looks at.
  await sleep(ms, undefined, signal === undefined ? {} : { signal }).catch(() => {});
}
