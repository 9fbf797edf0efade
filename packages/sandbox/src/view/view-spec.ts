import type { HostProgram } from "@haft/system";

/** Describes a view: everything is readable, except as listed here. */
export interface ViewSpec {
  /** Absolute real paths. Empty for a read-only view. */
  writable: readonly string[];
  /** Read-only paths in writable folders. A missing path is protected after {@link View.repair}. */
  readOnly: readonly string[];
  /** Read-only until {@link View.release}, because they were not scanned yet. */
  unsearched?: readonly string[];
  /** Writable folders that cannot be moved. Folders above a read-only path are pinned automatically. */
  pinned: readonly string[];
  /** Empty and read-only. */
  hidden: readonly string[];
  /** Hidden paths with other content of the host, read-only. */
  replaced?: readonly { path: string; from: string }[];
  /** Paths of the host at another path, which must exist unless it is below `/tmp` or `/run`. */
  extra: readonly { from: string; to: string; access: "ro" | "rw" }[];
  /** Searched before the first command for FIFOs and unlisted sockets, which are masked. */
  socketFolders?: readonly string[];
  /** `none`: a separate loopback. `full`: the host's network, with its services on the loopback and abstract sockets. */
  network: "none" | "full";
  /** For each private temporary folder, in MiB of memory. Default: 1,024. */
  tmpMb?: number;
}

export interface ViewOptions {
  /** See {@link BubblewrapOptions.bwrap}. */
  bwrap?: string;
  /** Contains the copy of Node, and devices for root's commands. Default: `/var/cache/haft` for root, else `~/.cache/haft`. */
  cacheFolder?: string;
  onStart?: () => void;
  /** Called for each view before any command runs. */
  onOpen?: (open: OpenNamespaces) => Promise<void>;
}

export interface OpenNamespaces {
  pid: number;
  userNamespace: number;
}

export interface ViewPrograms {
  bwrap: HostProgram;
  unshare: HostProgram;
  nsenter: HostProgram;
  sh: HostProgram;
  mount: HostProgram;
}
