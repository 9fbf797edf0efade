import { readFileSync } from "node:fs";
import { attempt } from "./attempt.ts";

/** Where only the administrator of a machine puts anything: nobody else can own what is there. */
const SYSTEM = /^\/(?:$|(?:usr|bin|sbin|lib|lib64)(?:\/|$))/;

let nobody: bigint | false | undefined;

/**
 * In a user namespace that has no root, as inside another agent's sandbox, everything of the system belongs to the number that
 * stands for whoever is not known there. It may stand for anybody, so it counts as root in the folders of the system alone.
 */
export function isUnmappedRoot(path: string, uid: bigint): boolean {
  nobody ??= unmappedUser(textOf("/proc/self/uid_map"), textOf("/proc/sys/kernel/overflowuid"));
  return nobody === uid && SYSTEM.test(path);
}

/**
 * The number of users that are not known, where root is one of them.
 *
 * @param map as of user_namespaces(7): lines of first user inside, first outside, how many
 */
export function unmappedUser(map: string | undefined, overflow: string | undefined): bigint | false {
  const ranges = Array.from((map ?? "").matchAll(/^\s*(\d+)\s+\d+\s+(\d+)\s*$/gm), ([, first]) => first);
  const isWithoutRoot = ranges.length > 0 && !ranges.includes("0");
  return isWithoutRoot && /^\d+\s*$/.test(overflow ?? "") ? BigInt((overflow ?? "").trim()) : false;
}

function textOf(path: string): string | undefined {
  return attempt(() => readFileSync(path, "latin1"));
}
