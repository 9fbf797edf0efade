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

/** Caches that are writable if one layer names them and another leaves the choice to the host. */
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
 * Computes the paths of a view: writable as the boundary allows, read-only where it protects, hidden where it
 * denies.
 *
 * @throws HaftError `SANDBOX_MOUNT_REFUSED` for a root that cannot be protected
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
      // Moving a parent folder would free the protected path.
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

/** Creates Haft's folders in writable folders, so that a view hides them: a later Haft process would trust a command's folder. */
export function createReservedFolders(reserved: ReservedPaths, writable: readonly string[]): void {
  for (const path of getReservedFolders(reserved)) {
    if (
      writable.some((root) => containsPath(root, path)) &&
      statSync(path, { throwIfNoEntry: false }) === undefined
    )
      makePrivateFolder(path);
  }
}
