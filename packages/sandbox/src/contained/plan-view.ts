import type { ContainmentFacts } from "@haft/core";
import { findHostProgram, removeNestedPaths } from "@haft/system";
import { lstatSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import { rootRights } from "../view/file-rights/root-rights.ts";
import { findGitMounts } from "../view/git/git-mounts.ts";
import { abstractSockets } from "../view/network/full/abstract-sockets.ts";
import { findFullNetwork } from "../view/network/full/full-network.ts";
import { openView } from "../view/open-view.ts";
import { findTrackedSecrets } from "../view/tracked/tracked-secrets.ts";
import { getCacheFolder } from "./session-network.ts";
import type { ViewPaths } from "./view-paths.ts";

/**
 * The paths of a contained session, and what its commands can do with them at present. Paths are absolute and without symbolic links.
 * Every list may be empty.
 *
 * @example
 * ```ts
 * import type { Host } from "@haft/host";
 * declare const host: Host;
 * const plan = await host.containmentPlan({ kind: "main" });
 * if (plan !== undefined) console.log("Commands write in", plan.writable, "and do not see", plan.hidden);
 * ```
 */
export interface ContainmentPlan {
  /** Folders of the session in which commands write. */
  writable: readonly string[];
  /** Folders of package managers that the policy names. Commands write in them, too. */
  caches: readonly string[];
  /** The folder of Haft in which package managers store the downloads of contained sessions of this workspace. */
  ownCaches: string;
  /** Folders that are empty at first, that no other session sees, and that end with the session. */
  private: readonly string[];
  /** Paths in writable folders that commands cannot change. */
  held: readonly string[];
  /** Paths that do not exist yet. Commands cannot change them once somebody on the host creates them. */
  heldOnceThere: readonly string[];
  /** Folders in which commands can write, and that they cannot rename or move. */
  pinned: readonly string[];
  /** Paths that commands do not see: secrets, and the state of Haft. */
  hidden: readonly string[];
  /** Files with the names of secrets that git tracks. Commands see the committed version, without changes of the user. */
  shownAsTracked: readonly string[];
  /** Sockets of the host that are masked, and FIFOs that lie in the folders of the session before its first command. */
  sockets: readonly string[];
  /** Paths that should be held or hidden and are not, with the reason. */
  notHeld: readonly { path: string; why: string }[];
  /** Folders with too many entries to search all of them for secrets. */
  unlooked: readonly string[];
  /** Folders with too many entries to search all of them for FIFOs. */
  fifosUnlooked: readonly string[];
  /** Places in which commands of root have fewer permissions than root, as sentences. */
  rights: readonly string[];
  /** What happens to the settings of git. */
  git: ContainedGit;
  /** What the commands reach. */
  network: ContainedNetwork;
}

/**
 * What happens to the settings of git in a contained session.
 *
 * @example
 * ```ts
 * import type { ContainedGit } from "@haft/sandbox/view";
 * const describe = ({ program, leftOut }: ContainedGit) =>
 *   program ?? `No git is used${leftOut.length > 0 ? `: ${leftOut.join("; ")}` : ""}.`;
 * ```
 */
export interface ContainedGit {
  /** Path of the git that reads changed settings. Absent: commands can change no settings of git. */
  program?: string;
  /** Why programs that exist are not used, each as the end of a sentence. */
  leftOut: readonly string[];
  /** Folders of git whose settings commands change in a copy. Harmless keys of the copy are taken over. */
  repositories: readonly string[];
  /** Those of `repositories` outside the session's folders, which belong to linked working trees and submodules. */
  outside: readonly string[];
  /** Further facts that a person has to know, as sentences. */
  notices: readonly string[];
}

/**
 * The network of a contained session.
 *
 * @example
 * ```ts
 * import type { ContainedNetwork } from "@haft/sandbox/view";
 * const open: ContainedNetwork = { kind: "full", by: "pasta" };
 * const listed: ContainedNetwork = { kind: "hosts", hosts: ["registry.example.com"] };
 * ```
 */
export interface ContainedNetwork {
  /** `none`: commands reach nothing. `hosts`: they reach the hosts of a list. `full`: they reach everything. */
  kind: "none" | "hosts" | "full";
  /** With `hosts`: the hosts to which the proxy of Haft connects. */
  hosts?: readonly string[];
  /** With `full`: the program that connects the view. `host`: commands use the network of the host, with its loopback. */
  by?: "pasta" | "slirp4netns" | "host";
  /** With `by: "host"`: why, as a sentence. */
  reason?: string;
  /** With `by: "host"`: names of abstract sockets that commands can reach as well. */
  abstractSockets?: readonly string[];
}

const PRIVATE = ["/tmp", "/var/tmp", "/dev/shm", "/run"];

/**
 * Returns what a view would hold, hide and reach, without opening it.
 *
 * @param places The paths of the session.
 * @param network The network of its commands.
 * @param folder The folder that contained sessions of the workspace share: `folder` of `SessionViewOptions`.
 * @throws HaftError `CONTAINMENT_BROKEN`
 * @example
 * ```ts
 * import { planView, type ViewPaths } from "@haft/sandbox/view";
 * declare const paths: ViewPaths;
 * const { held, hidden } = await planView(paths, "none", "/srv/state/contained");
 * ```
 */
export async function planView(
  places: ViewPaths,
  network: ContainmentFacts["network"],
  folder: string,
): Promise<ContainmentPlan> {
  const { program, leftOut = [] } = findHostProgram("git");
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
    ownCaches: getCacheFolder(folder),
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

/**
 * Returns what the commands of a contained session reach, with the program that connects a full network.
 *
 * @param network The network of the session.
 * @example
 * ```ts run
 * import { describeNetwork } from "@haft/sandbox/view";
 * describeNetwork(["registry.example.com"]); // => { kind: "hosts", hosts: ["registry.example.com"] }
 * ```
 */
export function describeNetwork(network: ContainmentFacts["network"]): ContainedNetwork {
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
