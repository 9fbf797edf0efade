import type { HostProgram } from "@haft/system";

/** Describes a view of this machine: everything is readable, except as listed here. */
export interface ViewSpec {
  /** Writable folders, as absolute real paths. Empty for a read-only view. */
  writable: readonly string[];
  /** Read-only paths in writable folders. A missing path is protected once it exists and {@link View.repair} was called. */
  readOnly: readonly string[];
  /** Folders that are read-only until {@link View.release}, because they were not scanned yet. */
  unsearched?: readonly string[];
  /** Writable folders that cannot be moved. Folders between a writable folder and a read-only path are pinned automatically. */
  pinned: readonly string[];
  /** Paths that are empty and read-only. */
  hidden: readonly string[];
  /** Hidden paths with other content, read-only: files or folders of the host. */
  replaced?: readonly { path: string; from: string }[];
  /** Paths of the host at another path of the view, which must exist unless it is below `/tmp` or `/run`. */
  extra: readonly { from: string; to: string; access: "ro" | "rw" }[];
  /** Folders that are searched before the first command for FIFOs and for sockets that no list contains. These are masked as well. */
  socketFolders?: readonly string[];
  /** `none`: a separate loopback. `full`: the host's network, with its services on the loopback and abstract sockets. */
  network: "none" | "full";
  /** Limits each private temporary folder, in MiB of memory. Default: 1,024. */
  tmpMb?: number;
}

export interface ViewOptions {
  /** Absolute path of the program. Default: `bwrap` of the host's PATH. See {@link BubblewrapOptions.bwrap}. */
  bwrap?: string;
  /** Contains the copy of Node for runners, and devices for root's commands. Default: `/var/cache/haft` for root, else `~/.cache/haft`. */
  cacheFolder?: string;
  /** Called while a view is mounted, before any program runs in it. */
  onStart?: () => void;
  /** Called for each opened view before any command runs, for example to connect a network. */
  onOpen?: (open: OpenNamespaces) => Promise<void>;
}

/** The namespaces of a view, as the host sees them. */
export interface OpenNamespaces {
  /** Pid of the first process, on the host. */
  pid: number;
  /** Open file of the user namespace that owns the others. */
  userNamespace: number;
}

export interface ViewPrograms {
  bwrap: HostProgram;
  unshare: HostProgram;
  nsenter: HostProgram;
  sh: HostProgram;
  mount: HostProgram;
}
