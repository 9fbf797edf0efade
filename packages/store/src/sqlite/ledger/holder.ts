import type { RunHolder } from "@haft/core/internal";
import { getOwnerStatus, type Owner, getCurrentOwner } from "@haft/system";
import { hostname, uptime } from "node:os";
import { quickClock } from "./quick-clock.ts";

/** Other processes may take a lease after this time. */
export const LEASE_MS = 30_000;
/** The holder stops earlier by this time. */
export const MARGIN_MS = 5000;
/** Milliseconds between two renewals. */
export const RENEWAL_MS = 5000;

/** Milliseconds since the system's start, including sleep. */
export function databaseNow(): number {
  return uptime() * 1000;
}

/** Approximates {@link databaseNow}, which takes 5 µs, within 60 ms. Never stored for other processes. */
export const approximateNow: () => number = quickClock({
  slow: databaseNow,
  steady: () => performance.now(),
  wall: () => Date.now(),
});

export function thisHolder(): RunHolder {
  const { pid, started, space } = getCurrentOwner();
  return { host: hostname(), pid, started, boot: space };
}

/**
 * Returns why a lease ended; `undefined` while valid. Processes of an earlier boot are dead, even if their pids exist.
 */
export function getLeaseEndReason(
  holder: RunHolder,
  renewed: number,
  at = databaseNow(),
): "dead" | "silent" | undefined {
  const { host, boot = host } = holder;
  const owner: Owner = { pid: holder.pid, started: holder.started, space: boot };
  if (getOwnerStatus(owner) === "gone" || isOfEarlierBoot(boot)) return "dead";
  // Fallback for an earlier boot, whose clock was ahead.
  if (at < renewed) return "dead";
  return at - renewed >= LEASE_MS ? "silent" : undefined;
}

/** Without `/proc`, the space is a host name, not a boot. */
function isOfEarlierBoot(space: string): boolean {
  const [boot] = getCurrentOwner().space.split("/");
  return space.includes("/") && space.split("/")[0] !== boot;
}
