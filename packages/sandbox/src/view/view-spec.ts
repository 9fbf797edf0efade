import type { HostProgram } from "@haft/system";

/** A view of this machine: everything is there and can be read, and what is named here is otherwise. */
export interface ViewSpec {
  /** Folders where commands write, by their absolute real paths. None for a view that is read-only. */
  writable: readonly string[];
  /**
   * Files and folders that stay as they are, though they lie in a writable folder. What is not there is held once it is, and
   * {@link View.mend} has been called.
   */
  readOnly: readonly string[];
  /** Folders in which nothing is written until {@link View.release}, because nobody knows yet what is in there. */
  unsearched?: readonly string[];
  /** Folders that can be written and not be moved away. Those between a writable folder and what is held there are so anyway. */
  pinned: readonly string[];
  /** What is not there: files are empty, folders too, and neither can be written. */
  hidden: readonly string[];
  /** Of what is hidden, what has other content in its place, read-only: files or folders of the host. */
  replaced?: readonly { path: string; from: string }[];
  /** Files or folders of the host at another place of the view, which has to be there unless it is below `/tmp` or `/run`. */
  extra: readonly { from: string; to: string; access: "ro" | "rw" }[];
  /**
   * Folders of the session, looked through before its first command for what leads to programs of the host: FIFOs, and sockets that are
   * on no list of this network namespace. They are covered like those that are.
   */
  socketFolders?: readonly string[];
  /** `none`: a loopback of its own. `full`: the host's network, with its services on the loopback and abstract sockets. */
  network: "none" | "full";
  /** MiB that the private temporary folders may hold, each; 1,024 by default. They are memory. */
  tmpMb?: number;
}

export interface ViewOptions {
  /** The program, by its absolute path; `bwrap` of the host's PATH by default. See {@link BubblewrapOptions.bwrap}. */
  bwrap?: string;
  /** Where the copy of Node for runners is kept, and devices that root's commands get: `/var/cache/haft` for root, else `~/.cache/haft`. */
  cacheFolder?: string;
  /** Called when a view is being put up: while it is mounted there is nothing else to do. Nothing runs in it yet. */
  onStart?: () => void;
  /** Called with each view that was opened, before any command runs in it: to give it a network, for one. */
  onOpen?: (open: OpenNamespaces) => Promise<void>;
}

/** Where the processes of a view are, as the host sees them. */
export interface OpenNamespaces {
  /** The first process of the view, as the host counts: what is in `/proc/PID/ns` is the view's. */
  pid: number;
  /** Open file of the user namespace that the others belong to: who enters it may change them. */
  userNamespace: number;
}

export interface ViewPrograms {
  bwrap: HostProgram;
  unshare: HostProgram;
  nsenter: HostProgram;
  sh: HostProgram;
  mount: HostProgram;
}
