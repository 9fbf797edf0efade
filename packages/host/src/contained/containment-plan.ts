import { removeNestedPaths } from "@haft/config/internal/boundary";
import {
  abstractSockets,
  findFullNetwork,
  findTrackedSecrets,
  findGitMounts,
  openView,
  rootRights,
} from "@haft/sandbox/internal";
import { findHostProgram } from "@haft/system";
import { lstatSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import { type ViewContext, resolveViewPaths } from "./view-paths.ts";

/** The map of places of a contained session, as things are now. Real absolute paths; all lists may be empty. */
export interface ContainmentPlan {
  /** Folders of the session that commands write in. */
  writable: readonly string[];
  /** Folders of package managers that the policy names, written in as well. */
  caches: readonly string[];
  /** The folder of Haft's own in which package managers keep what contained sessions of this workspace fetch. */
  ownCaches: string;
  /** Empty at first, seen by nobody else, and gone with the session. */
  private: readonly string[];
  /** What stays as it is though it lies in a folder that is written. */
  held: readonly string[];
  /** What is not there yet, and is held once somebody on the host makes it. */
  heldOnceThere: readonly string[];
  /** Folders that can be written in and not be moved away. */
  pinned: readonly string[];
  /** What is not there: secrets, and what Haft keeps. */
  hidden: readonly string[];
  /** Secrets by their name that git tracks: commands see them as git has them, and not the changes of the user. */
  shownAsTracked: readonly string[];
  /** Sockets of the host that are covered, and FIFOs that are in the session's folders before its first command. */
  sockets: readonly string[];
  /** What is not held, and why. */
  notHeld: readonly { path: string; why: string }[];
  /** Folders with more in them than is looked through for secrets. */
  unlooked: readonly string[];
  /** Folders with more in them than is looked through for FIFOs. */
  fifosUnlooked: readonly string[];
  /** Where root's commands may do less than root, as sentences. */
  rights: readonly string[];
  /** What becomes of git's settings. */
  git: ContainedGit;
  /** What its commands reach. */
  network: ContainedNetwork;
}

/** Git of a contained session. */
export interface ContainedGit {
  /** What changes of its settings are looked at with; absent where there is none: then nothing of git's can be changed. */
  program?: string;
  /** Why the ones that are there are not started. */
  leftOut: readonly string[];
  /** Folders of git's whose settings commands change in a copy, of which harmless keys come back. */
  repositories: readonly string[];
  /** Those of them that lie outside of the session's folders: of linked working trees and submodules. */
  outside: readonly string[];
  /** What else a person has to know, as sentences. */
  notices: readonly string[];
}

/** The network of a contained session. */
export interface ContainedNetwork {
  /** Nothing, a list, or everything. */
  kind: "none" | "hosts" | "full";
  /** With `hosts`: what Haft's proxy lets through. */
  hosts?: readonly string[];
  /** With `full`: what leads out of the view's own network, or `host`: it is the host's, with what listens on its loopback. */
  by?: "pasta" | "slirp4netns" | "host";
  /** With `by: "host"`: why. */
  reason?: string;
  /** With `by: "host"`: sockets without a file that are in reach, too. */
  abstractSockets?: readonly string[];
}

/** Private to every view. */
const PRIVATE = ["/tmp", "/var/tmp", "/dev/shm", "/run"];

/**
 * What a view would be made of, looked up without opening or making anything.
 *
 * @param folder what contained sessions of this workspace share
 * @throws HaftError `SANDBOX_MOUNT_REFUSED`, `CONTAINMENT_BROKEN`
 */
export async function planContainment(ground: ViewContext, ownCaches: string): Promise<ContainmentPlan> {
  const places = resolveViewPaths(ground);
  const { network } = ground.requested;
  const { program, leftOut = [] } = findGit();
  const git = await findGitMounts(places.roots, program);
  const copies = mkdtempSync(join(tmpdir(), "haft-shown-"));
  const secrets = await findTrackedSecrets({
    hidden: places.hidden,
    roots: places.roots,
    gitFolders: [...places.roots, ...git.repositories.map(({ common }) => common)],
    folder: copies,
  }).finally(() => rmSync(copies, { recursive: true, force: true }));
  const shownAsTracked = secrets.replaced.map(({ path }) => path);
  const reached = describeNetwork(network);
  const held = [...new Set([...places.readOnly, ...git.readOnly])];
  const view = openView({
    writable: removeNestedPaths([...places.writable, ...git.writable]),
    readOnly: held,
    pinned: [...places.pinned, ...git.pinned],
    hidden: secrets.hidden,
    extra: places.extra,
    socketFolders: places.socketFolders,
    unsearched: git.unsearched,
    network: reached.by === "host" ? "full" : "none",
  });
  await view.scanSockets();
  const { rules, unprotected, sockets, unscanned: fifosUnlooked } = view.describe();
  const walled = (kind: (typeof rules)[number]["kind"]) =>
    rules.filter((wall) => wall.kind === kind).map(({ path }) => path);
  return {
    writable: places.roots,
    caches: places.writable.filter((path) => !places.roots.includes(path)),
    ownCaches,
    private: PRIVATE,
    held: walled("held"),
    heldOnceThere: held.filter((path) => isAbsolute(path) && !isThere(path)),
    pinned: walled("pinned"),
    hidden: walled("hidden").filter((path) => !shownAsTracked.includes(path)),
    shownAsTracked,
    sockets,
    notHeld: unprotected,
    unlooked: places.unscannedRoots,
    fifosUnlooked,
    rights: rootRights(places.roots),
    git: {
      ...(program === undefined ? {} : { program: program.path }),
      leftOut,
      repositories: git.repositories.map(({ common }) => common),
      outside: git.writable,
      notices: git.notices,
    },
    network: reached,
  };
}

/** The git that settings are looked at with, and never one from where commands write. */
export function findGit(): ReturnType<typeof findHostProgram> {
  return findHostProgram("git");
}

export function describeNetwork(network: ViewContext["requested"]["network"]): ContainedNetwork {
  if (network === "none") return { kind: "none" };
  if (network === "full") return wholeNetwork();
  return { kind: "hosts", hosts: network };
}

function wholeNetwork(): ContainedNetwork {
  const { kind: by, reason } = findFullNetwork();
  if (by !== "host") return { kind: "full", by };
  const sockets = abstractSockets();
  return { kind: "full", by, ...(reason === undefined ? {} : { reason }), abstractSockets: sockets };
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
