import { uptime } from "node:os";

/**
 * Returns the milliseconds since the system of this machine started, in steps of ten. The time of sleep counts: a clock that stops
 * while the machine sleeps cannot say how old a reading is. One call takes about 4 µs.
 *
 * @example
 * ```ts
 * import { uptimeMs } from "@haft/system";
 * const started = uptimeMs();
 * const elapsedMs = () => uptimeMs() - started;
 * ```
 */
export function uptimeMs(): number {
  return uptime() * 1_000;
}
