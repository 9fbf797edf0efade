/// <reference lib="esnext.disposable" preserve="true" />
import type { Fence } from "./ledger-port.ts";
import type { ContainmentFacts } from "./policy-port.ts";
import type { Processes } from "./process-port.ts";

declare global {
  // So that the contract needs neither Node's types nor the browser's. It merges with what either says of it.
  interface AbortSignal {
    readonly aborted: boolean;
    throwIfAborted(): void;
  }
  interface URL {}
  interface RequestInit {}
  interface Response {}
}

/**
 * The seams of Haft to the world: interfaces only. A tool acts through its {@link Workspace}. What the
 * kernel asks before it lets it act is in `policy-port.ts` and `approval-port.ts`. Errors are `HaftError`s.
 */

/** Where a workspace's files really are. */
export type ExecutionTarget = "host" | "sandbox" | "node";

/** What is known of a file or folder. */
export interface FileStat {
  /** What it is. */
  type: "file" | "directory" | "symlink" | "other";
  /** Bytes. */
  size: number;
  /** Permission bits, without the file type. */
  mode: number;
  /** Milliseconds since the epoch. */
  mtimeMs: number;
  /** Changes whenever the file is replaced or written: identity, size and times in one opaque string. */
  version: string;
  /** Number of hard links. */
  links: number;
  /** Only where it was asked for: access is restricted by more than the mode, or that cannot be told. */
  accessList?: boolean;
}

/** One name in a folder. */
export interface DirectoryEntry {
  /** Without its folder. */
  name: string;
  /** Of the entry itself: links are not followed. */
  type: FileStat["type"];
}

/** How a file is read. */
export interface ReadOptions {
  /** First byte, 0 by default. */
  offset?: number;
  /** At most this many bytes; all the rest by default, but never more than the workspace's `maxReadBytes`. */
  length?: number;
  /** Read into this buffer (saves a copy); `length` is then at most its size. */
  into?: Uint8Array;
  /** Ends reading; then it rejects. */
  signal?: AbortSignal;
}

/** What was read. */
export interface ReadResult {
  /** A part of `into` where that was given. */
  bytes: Uint8Array;
  /** Taken from the open handle, so it belongs to exactly these bytes. */
  stat: FileStat;
}

/** How a file is written. */
export interface WriteOptions {
  /** `replace` (default) creates or replaces; `create` fails with `FILE_EXISTS` when something is there. */
  mode?: "replace" | "create";
  /** Permission bits of a new file, also of one that is `like` another; a replaced file keeps its own. */
  permissions?: number;
  /** Refuse with `FILE_CHANGED` unless the file still has this {@link FileStat.version}. `null`: must not exist. */
  ifMatch?: string | null;
  /**
   * A file whose owner, group, mode, access list and extended attributes the written one gets, as far as that is
   * possible; default: the file that it replaces. Where it is not possible the written file grants less, never more.
   * Access lists and extended attributes are kept on Linux alone.
   */
  like?: string;
  /** Create missing parents (default true). */
  parents?: boolean;
  /** Flush file and folder to disk before returning (default false). */
  durable?: boolean;
  /** Ends writing as long as nothing has changed; then it rejects. */
  signal?: AbortSignal;
  /** Asked last before each change: `SESSION_LEASE_LOST`, and nothing was changed. Other changing operations take one, too. */
  fence?: Fence;
}

/** What came of writing. */
export interface WriteResult {
  /** There was no such file before. */
  created: boolean;
  /** The file as it is now. */
  stat: FileStat;
  /** The bytes were read back from the file that took the name. Absent: whoever must be sure reads it again. */
  verified?: true;
  /** Owner, access list or attributes are not those of the file that it is `like`: this user cannot give them to a new file. */
  accessLost?: true;
}

/**
 * Files of one workspace. Paths are relative to the main root, absolute inside a mount, or
 * `name:path` for a named root. Every operation holds the boundary while it acts, not before.
 *
 * Common error codes: `OUTSIDE_WORKSPACE`, `FILE_NOT_FOUND`, `FILE_EXISTS`, `FILE_CHANGED`,
 * `NOT_A_FILE`, `IS_DIRECTORY`, `ACCESS_DENIED`, `READ_ONLY`, `CONSENT_NEEDED`, `PATH_DENIED`, `INVALID_PATH`, `DISK_FULL`.
 */
export interface FileSystem {
  /** `undefined` if nothing is there. `follow` (default true): through a link; `accessList`: also asks for that. */
  stat(path: string, options?: { follow?: boolean; accessList?: boolean }): Promise<FileStat | undefined>;
  /** The path with links resolved; the last component may be missing. Fails outside the boundary. */
  realpath(path: string): Promise<string>;
  /** Entries by name, in no order; at most `limit` (default 10,000) with `truncated` set beyond. */
  list(
    path: string,
    options?: { limit?: number },
  ): Promise<{ entries: DirectoryEntry[]; truncated: boolean }>;
  /** Bytes of a file; the whole of it by default. */
  read(path: string, options?: ReadOptions): Promise<ReadResult>;
  /** Atomic, except for a file whose owner or access list a new file cannot have: that is written in place. */
  write(path: string, bytes: Uint8Array, options?: WriteOptions): Promise<WriteResult>;
  /** Adds to the end of a file, which is created when it is missing. */
  append(path: string, bytes: Uint8Array, options?: { fence?: Fence }): Promise<WriteResult>;
  /** Creates missing folders; answers those it created, outermost first. */
  mkdirp(path: string, options?: { fence?: Fence }): Promise<string[]>;
  /** Removes a file, a link (never its target) or an empty folder. */
  remove(path: string, options?: { ifMatch?: string; fence?: Fence }): Promise<void>;
  /** Moves a file or folder. `replace` (default false): also over a file that is there. `ifMatch` as in {@link WriteOptions}. */
  rename(
    from: string,
    to: string,
    options?: { ifMatch?: string; replace?: boolean; fence?: Fence },
  ): Promise<void>;
  /**
   * Asks the boundary alone, and does nothing: throws what it would throw (category `policy`) at a `read`, or at a
   * `write` of a file there, which need not exist. `follow: false`: at removing or renaming the entry itself.
   */
  check?(path: string, access: "read" | "write", options?: { follow?: boolean }): Promise<void>;
  /** Ignore rules outside of the root that holds this path. Absent where only rules inside count, as in a sandbox. */
  outerIgnores?(path: string): Promise<{
    /** Files of the folders above, outermost first. `below`: the way to the root, such as `packages/app`. */
    above: readonly { name: ".gitignore" | ".ignore" | ".rgignore"; below: string; text: string }[];
    /** The repository of the root: the way from it to the root, and its `info/exclude` if that is outside. */
    repository?: { below: string; exclude: string };
    /** What the user has ignored in every repository: git's `core.excludesFile`. */
    user: string;
  }>;
}

/** One root of a workspace. */
export interface Mount {
  /** `""` is the main root; others are addressed as `name:path` or by absolute path. */
  name: string;
  /** Absolute path in the workspace's own spelling. */
  path: string;
  /** Read-only, or to be changed as well. */
  access: "ro" | "rw";
}

/** Where a workspace is and what it holds. */
export interface WorkspaceDescription {
  /** Where its files really are. */
  target: ExecutionTarget;
  /** What it is called wherever it lies: what was allowed in it holds on every host that has it. Absent: its folder names it. */
  name?: string;
  /** Of a workspace on a node: which one it is, the name its operator gave it, and which of its workspaces this is. */
  node?: { id: string; name: string; workspace: string };
  /** Where relative paths start. */
  cwd: string;
  /** All its roots, the main one first. */
  mounts: readonly Mount[];
  /** `kernel`: every component is opened through the handle before it. `best-effort`: checked, then used. */
  boundary: "kernel" | "best-effort" | "none";
  /** The view that its commands are contained in, where they are. */
  containment?: ContainmentFacts;
}

/** Files and processes somewhere: on the host, in a sandbox, on a node. */
export interface Workspace {
  /** Its files. */
  readonly fs: FileSystem;
  /** Absent where commands cannot run. */
  readonly processes?: Processes;
  /** Where it is, and what it holds. */
  describe(): WorkspaceDescription;
  /** The same workspace with one more read-only root, addressed as `name:path`. Absent where that is not possible. */
  withRoot?(name: string, path: string): Workspace;
  /**
   * The same workspace, in which these places may be changed although they are settings that start programs: somebody
   * agreed to it. Absolute real paths, as `CONSENT_NEEDED` names them in `details.place`. Absent where nothing is asked about.
   */
  withConsent?(places: readonly string[]): Workspace;
  /**
   * The workspace of a node that commands of this session may run in as well: of the one with this id or name, or of the only one
   * there is; the same one each time, opened by whoever asks first. Absent where commands run here alone.
   *
   * @throws HaftError `NODE_…` where none is meant, approved, or can be reached
   */
  openNodeWorkspace?(node?: string): Promise<Workspace>;
}

/** Where a host logs. `details` are JSON. */
export interface Logger {
  /** For whoever looks for a defect. */
  debug(message: string, details?: Record<string, unknown>): void;
  /** What happens in the course of things. */
  info(message: string, details?: Record<string, unknown>): void;
  /** What somebody should look at. */
  warn(message: string, details?: Record<string, unknown>): void;
  /** What went wrong. */
  error(message: string, details?: Record<string, unknown>): void;
}
