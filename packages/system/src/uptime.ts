import { uptime } from "node:os";

/**
 * Milliseconds since this machine's system started, those in which it slept included, in steps of ten. Read anew each
 * time, about 4 µs: a clock that stands still while the machine sleeps cannot tell how old a reading is.
 */
export function uptimeMs(): number {
  return uptime() * 1_000;
}
