import { accessSync, constants, readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { identityOf } from "../launch/process-identity.ts";

/** Names this process to other hosts: where its number means something, the number, and when it started. */
export function hostMark(): string {
  return `${place()} ${process.pid} ${identityOf(process.pid)?.started ?? "-"}`;
}

/**
 * For certain: a host whose process is no more. Of those on other machines, in other containers, or before the last
 * start of the system, nothing is known.
 */
export function hasDied(mark: string): boolean {
  const [where, number, started] = mark.split(" ");
  const pid = Number(number);
  if (where !== place() || !(pid > 0)) return false;
  try {
    process.kill(pid, 0);
  } catch (thrown) {
    if ((thrown as { code?: unknown }).code === "ESRCH") return true;
  }
  try {
    // Processes of other users may be hidden.
    accessSync(`/proc/${pid}/stat`, constants.R_OK);
  } catch {
    return false;
  }
  return String(identityOf(pid)?.started) !== started;
}

function place(): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${boot}/${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return hostname();
  }
}
