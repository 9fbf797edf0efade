import type { Mount } from "@haft/core";
import type { ContainmentWish } from "@haft/policy";
import type { ViewSpec } from "@haft/sandbox/internal";
import { CREDENTIAL_PATTERNS } from "@haft/workspace";
import { makePrivateFolder } from "@haft/workspace/internal/system";
import { statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { heldPaths } from "../boundary/held-paths.ts";
import type { HostBoundary } from "../boundary/host-boundary.ts";
import { keptFolders, type KeptPlaces } from "../boundary/kept-folders.ts";
import { holdsOwnCode, outermost } from "../boundary/own-code.ts";
import { realOf } from "../boundary/real-path.ts";
import { findSecrets } from "./secrets.ts";

/** Caches that hosts let commands write in where a layer of the policy names them and another leaves that to the host. */
const CACHES_OF_HOST = [
  "~/.npm",
  "~/.cache",
  "~/.cargo/registry",
  "~/.cargo/git",
  "~/go/pkg/mod",
  "~/.m2/repository",
];

export interface Ground {
  wish: ContainmentWish;
  mounts: readonly Mount[];
  boundary: HostBoundary;
  kept: KeptPlaces;
}

export interface ViewPlaces extends Pick<
  ViewSpec,
  "writable" | "held" | "pinned" | "hidden" | "extra" | "looked"
> {
  roots: readonly string[];
  /** Roots in which secrets were not looked for to the end, because there is too much in them. */
  unlooked: readonly string[];
  looked: readonly string[];
}

/**
 * The one map of places for commands and file tools: what the boundary lets be written is writable, what it guards stays as it
 * is, and what it denies is not there.
 *
 * @throws HaftError `SANDBOX_MOUNT_REFUSED` for a root in which nothing could be held
 */
export function viewPlaces({ wish, mounts, boundary, kept }: Ground): ViewPlaces {
  const home = boundary.homeDir ?? homedir();
  const all = mounts.flatMap(({ path }) => realOf(path) ?? []);
  const open = mounts.flatMap(({ path, access }) => {
    const real = access === "rw" && wish.mode === "workspace" ? realOf(path) : undefined;
    return real === undefined || real === "/" ? [] : [real];
  });
  const roots = outermost(open);
  const asMounts = roots.map((path, at) => ({ name: `r${at}`, hostPath: path, path, access: "rw" as const }));
  const guarded = heldPaths({ workspace: "rw", mounts: asMounts }, boundary);
  // A root that is only read may lie in one that is written.
  const closed = mounts.flatMap(({ path, access }) => (access === "ro" ? (realOf(path) ?? []) : []));
  const secrets = findSecrets(
    [...(boundary.credentials ?? CREDENTIAL_PATTERNS), ...(boundary.deny ?? [])],
    all,
    home,
  );
  return {
    roots,
    writable: [...roots, ...cachesOf(wish, home)],
    held: [
      ...guarded.filter(({ access }) => access === "ro").map(({ hostPath }) => hostPath),
      ...closed.filter((path) => !roots.includes(path)),
    ],
    pinned: [
      ...guarded.filter(({ access }) => access === "rw").map(({ hostPath }) => hostPath),
      // A folder above them, moved away, would leave their place free.
      ...[...secrets.placed, ...keptFolders(kept)].map((path) => dirname(path)),
    ],
    extra: outermost(
      all.filter((path) => isPrivate(path) && !open.some((root) => holdsOwnCode(root, path))),
    ).map((path) => ({ from: path, to: path, access: "ro" as const })),
    hidden: outermost([...secrets.paths, ...keptFolders(kept)]).filter((path) => !roots.includes(path)),
    unlooked: secrets.unlooked,
    looked: all,
  };
}

export function isPrivate(path: string): boolean {
  return /^\/(?:tmp|var\/tmp|dev\/shm|run)\/./.test(path);
}

function cachesOf({ caches, cachesOfHost, mode }: ContainmentWish, home: string): string[] {
  if (caches === undefined || mode === "read-only") return [];
  const absolute = (path: string) => (path.startsWith("~/") ? join(home, path.slice(2)) : path);
  const common = CACHES_OF_HOST.map(absolute);
  return outermost(
    caches
      .map(absolute)
      .filter((path) => !cachesOfHost || common.some((one) => path === one || path.startsWith(`${one}/`)))
      .flatMap((path) => realOf(path) ?? []),
  );
}

/**
 * Makes what Haft keeps where commands write, so that there is something to hide: what a command made in its place, a later
 * program of Haft's would take for its own.
 */
export function makeKeptFolders(kept: KeptPlaces, writable: readonly string[]): void {
  for (const path of keptFolders(kept)) {
    if (
      writable.some((root) => holdsOwnCode(root, path)) &&
      statSync(path, { throwIfNoEntry: false }) === undefined
    )
      makePrivateFolder(path);
  }
}
