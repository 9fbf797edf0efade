import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import type { ProcessIdentity } from "./process-identity.ts";
import { identityOf, isAlive, readProcess } from "./process-identity.ts";

/** The process that has to clean something up. Once it is gone, others may. */
export interface Owner extends ProcessIdentity {
  /** Where its pid means something: one boot of one machine or container. */
  space: string;
}

/** This program. @param look how a process is looked at */
export function thisOwner(look = readProcess): Owner {
  return { ...(identityOf(process.pid, look) ?? { pid: process.pid, started: 0 }), space: pidSpace() };
}

/**
 * What became of an owner. `unknown`: of another machine, another container, or before the last start of the system;
 * its pid means nothing here.
 */
export function fateOf(owner: Owner, look = readProcess): "alive" | "gone" | "unknown" {
  if (owner.space !== pidSpace() || !(owner.pid > 0)) return "unknown";
  return isAlive(owner, look) ? "alive" : "gone";
}

/** Tells one run of this system from others. @throws where there is no `/proc` */
export function bootId(): string {
  return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
}

/** Where pids mean something: one boot of one machine or container. Without spaces. */
function pidSpace(): string {
  try {
    return `${bootId()}/${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return hostname();
  }
}
