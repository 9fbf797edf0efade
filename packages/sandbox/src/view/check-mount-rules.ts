import { attempt } from "@haft/system";
import { accessSync, constants, lstatSync } from "node:fs";
import { dirname } from "node:path";
import { DEVICES } from "../bubblewrap/device-nodes.ts";
import { containmentBrokenError } from "../errors.ts";
import { type MountEntry, parseMountTable } from "../mounts/mount-table.ts";
import { nativePath } from "../mounts/raw-path.ts";
import { formatMountIdentity, readMountIdentity, PRIVATE_FOLDERS, type MountRule } from "./mount-plan.ts";
import { notContainedError } from "./open-namespaces.ts";

export function indexMountTable(table = ""): Map<string, MountEntry> {
  return new Map(parseMountTable(table).map((one) => [one.path, one]));
}

export function findWritableMounts(
  rules: readonly MountRule[],
  mounted: ReadonlyMap<string, MountEntry>,
): MountEntry[] {
  const writable = new Map([["/", false]]);
  for (const path of ["/proc", ...[...DEVICES, "pts"].map((name) => `/dev/${name}`), ...PRIVATE_FOLDERS]) {
    writable.set(path, true);
  }
  for (const { path, kind } of rules) writable.set(path, kind === "open" || kind === "pinned");
  return [...mounted.values()].filter(({ path, readOnly }) => {
    let nearest = path;
    while (!writable.has(nearest)) nearest = dirname(nearest);
    return !readOnly && writable.get(nearest) === false;
  });
}

/** Checks from outside: only planned paths are writable, and protected paths have the checked files. */
export function checkMountRules(pid: number, table: string | undefined, rules: readonly MountRule[]): void {
  const mounted = indexMountTable(table);
  if (mounted.size === 0) throw notContainedError("its mounts cannot be read");
  if (!mounted.has("/")) throw notContainedError("the root folder is the host's");
  const [open] = findWritableMounts(rules, mounted);
  if (open !== undefined) throw notContainedError(`${open.path} can be written`);
  const ofHost = PRIVATE_FOLDERS.find((path) => {
    const isFolder = lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
    return (
      isFolder && readMountIdentity(path) === seenIn(pid, path) && !rules.some((rule) => rule.path === path)
    );
  });
  if (ofHost !== undefined) throw notContainedError(`${ofHost} is the host's`);
  const replaced = replacedMountError(rules);
  if (replaced !== undefined) throw replaced;
  const missing = rules.find((rule) => !isMountRuleApplied(pid, rule, mounted));
  if (missing !== undefined)
    throw notContainedError(`${missing.path} is not mounted as planned (${missing.kind})`);
  const closed = rules.find(({ path, kind }) => kind === "open" && mounted.get(path)?.readOnly === true);
  // The host may have read-only file systems.
  if (closed !== undefined && hasAccess(closed.from ?? closed.path, constants.W_OK)) {
    throw containmentBrokenError(`${closed.path} is not writable in it`, {
      details: { path: closed.path },
    });
  }
}

export function replacedMountError(rules: readonly MountRule[]): Error | undefined {
  const replaced = rules.find(
    ({ path, from = path, kind, identity }) => kind !== "frame" && readMountIdentity(from) !== identity,
  );
  if (replaced === undefined) return undefined;
  return containmentBrokenError(`${replaced.path} was replaced during its creation`, {
    fix: "Run the command again.",
    details: { path: replaced.path },
  });
}

export function isMountRuleApplied(
  pid: number,
  rule: MountRule,
  mounted: ReadonlyMap<string, MountEntry>,
): boolean {
  const entry = mounted.get(rule.path);
  if (entry === undefined) return false;
  if (rule.kind === "frame" || (rule.kind === "hidden" && rule.from === undefined)) return entry.readOnly;
  if (rule.kind === "hidden" && !entry.readOnly) return false;
  if (rule.kind === "held" && !entry.readOnly) return false;
  return seenIn(pid, rule.path) === rule.identity;
}

export function hasAccess(path: string, mode: number): boolean {
  const allowed = attempt(() => {
    accessSync(path, mode);
    return true;
  });
  return allowed === true;
}

function seenIn(pid: number, path: string): string | undefined {
  const stats = attempt(() => lstatSync(nativePath(`/proc/${pid}/root${path}`), { bigint: true }));
  return stats === undefined ? undefined : formatMountIdentity(stats);
}
