import {
  type HostBoundary,
  containsPath,
  findProtectedPaths,
  getRealPath,
  getReservedFolders,
  type ReservedPaths,
} from "@haft/config/internal/boundary";
import type { Mount } from "@haft/core";
import type { RequestedContainment } from "@haft/policy";
import { isPrivatePath, type ViewPaths } from "@haft/sandbox/view";
import { removeNestedPaths, makePrivateFolder } from "@haft/system";
import { CREDENTIAL_PATTERNS } from "@haft/workspace";
import { statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { findSecrets } from "./find-secrets.ts";

/** Caches that hosts let commands write in where a layer of the policy names them and another leaves that to the host. */
const CACHES_OF_HOST = [
  "~/.npm",
  "~/.cache",
  "~/.cargo/registry",
  "~/.cargo/git",
  "~/go/pkg/mod",
  "~/.m2/repository",
];

export interface ViewContext {
  requested: RequestedContainment;
  mounts: readonly Mount[];
  boundary: HostBoundary;
  reserved: ReservedPaths;
}

/**
 * The one map of places for commands and file tools: what the boundary lets be written is writable, what it guards stays as it
 * is, and what it denies is not there.
 *
 * @throws HaftError `SANDBOX_MOUNT_REFUSED` for a root in which nothing could be held
 */
export function resolveViewPaths({ requested, mounts, boundary, reserved }: ViewContext): ViewPaths {
  const home = boundary.homeDir ?? homedir();
  const all = mounts.flatMap(({ path }) => getRealPath(path) ?? []);
  const open = mounts.flatMap(({ path, access }) => {
    const real = access === "rw" && requested.mode === "workspace" ? getRealPath(path) : undefined;
    return real === undefined || real === "/" ? [] : [real];
  });
  const roots = removeNestedPaths(open);
  const asMounts = roots.map((path, at) => ({ name: `r${at}`, hostPath: path, path, access: "rw" as const }));
  const guarded = findProtectedPaths({ workspace: "rw", mounts: asMounts }, boundary);
  // A root that is only read may lie in one that is written.
  const closed = mounts.flatMap(({ path, access }) => (access === "ro" ? (getRealPath(path) ?? []) : []));
  const secrets = findSecrets(
    [...(boundary.credentials ?? CREDENTIAL_PATTERNS), ...(boundary.deny ?? [])],
    all,
    home,
  );
  return {
    roots,
    writable: [...roots, ...cachesOf(requested, home)],
    readOnly: [
      ...guarded.filter(({ access }) => access === "ro").map(({ hostPath }) => hostPath),
      ...closed.filter((path) => !roots.includes(path)),
    ],
    pinned: [
      ...guarded.filter(({ access }) => access === "rw").map(({ hostPath }) => hostPath),
      // A folder above them, moved away, would leave their place free.
      ...[...secrets.knownPaths, ...getReservedFolders(reserved)].map((path) => dirname(path)),
    ],
    extra: removeNestedPaths(
      all.filter((path) => isPrivatePath(path) && !open.some((root) => containsPath(root, path))),
    ).map((path) => ({ from: path, to: path, access: "ro" as const })),
    hidden: removeNestedPaths([...secrets.paths, ...getReservedFolders(reserved)]).filter(
      (path) => !roots.includes(path),
    ),
    unscannedRoots: secrets.unscannedRoots,
    socketFolders: all,
  };
}

function cachesOf({ caches, usesHostCaches, mode }: RequestedContainment, home: string): string[] {
  if (caches === undefined || mode === "read-only") return [];
  const absolute = (path: string) => (path.startsWith("~/") ? join(home, path.slice(2)) : path);
  const common = CACHES_OF_HOST.map(absolute);
  return removeNestedPaths(
    caches
      .map(absolute)
      .filter((path) => !usesHostCaches || common.some((one) => path === one || path.startsWith(`${one}/`)))
      .flatMap((path) => getRealPath(path) ?? []),
  );
}

/**
 * Makes what Haft keeps where commands write, so that there is something to hide: what a command made in its place, a later
 * program of Haft's would take for its own.
 */
export function createReservedFolders(kept: ReservedPaths, writable: readonly string[]): void {
  for (const path of getReservedFolders(kept)) {
    if (
      writable.some((root) => containsPath(root, path)) &&
      statSync(path, { throwIfNoEntry: false }) === undefined
    )
      makePrivateFolder(path);
  }
}
