import type { RunHolder } from "@haft/core/internal";
import { getOwnerStatus, type Owner, getCurrentOwner } from "@haft/system";
import { hostname, uptime } from "node:os";
import { quickClock } from "./quick-clock.ts";

/** Milliseconds after its last renewal at which a lease ends for everybody else. */
export const LEASE_MS = 30_000;
/** Milliseconds that its holder stops earlier. */
export const MARGIN_MS = 5000;
/** Milliseconds between two renewals. */
export const RENEWAL_MS = 5000;

/** Milliseconds of a clock of this machine that counts sleep, too, and starts with its system. */
export function databaseNow(): number {
  return uptime() * 1000;
}

/** The same for what is asked with every call, as near as 60 ms: {@link databaseNow} takes 5 µs. What others are told is not of this. */
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
 * Why a holder does not have its runs any more; `undefined` while it does. A file with a write-ahead file belongs to
 * processes of one system: what lived before its last start is dead, whatever has its pid now.
 */
export function getLeaseEndReason(
  holder: RunHolder,
  renewed: number,
  at = databaseNow(),
): "dead" | "silent" | undefined {
  const { host, boot = host } = holder;
  const owner: Owner = { pid: holder.pid, started: holder.started, space: boot };
  if (getOwnerStatus(owner) === "gone" || isOfEarlierBoot(boot)) return "dead";
  // Of before the last start, where that cannot be told otherwise: its clock was further on.
  if (at < renewed) return "dead";
  return at - renewed >= LEASE_MS ? "silent" : undefined;
}

/** Without `/proc` it is a host name, which says nothing about starts. */
function isOfEarlierBoot(space: string): boolean {
  const [boot] = getCurrentOwner().space.split("/");
  return space.includes("/") && space.split("/")[0] !== boot;
}
