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

/** Where the files of a workspace are. */
export type ExecutionTarget = "host" | "sandbox" | "node";

/** What is known of a file or folder. */
export interface FileStat {
  /** The type of the entry. */
  type: "file" | "directory" | "symlink" | "other";
  /** The size in bytes. */
  size: number;
  /** The permission bits, without the file type. */
  mode: number;
  /** When it was last modified, in milliseconds since the epoch. */
  mtimeMs: number;
  /** An opaque string of identity, size and times. It changes whenever the file is replaced or written. */
  version: string;
  /** The number of hard links. */
  links: number;
  /** Whether more than the mode restricts access, or that is unknown. Present only on request. */
  accessList?: boolean;
}

/** One entry of a folder. */
export interface DirectoryEntry {
  /** The name, without the folder. */
  name: string;
  /** The type of the entry itself: links are not followed. */
  type: FileStat["type"];
}

/** Options for reading a file. */
export interface ReadOptions {
  /** The first byte to read. Default 0. */
  offset?: number;
  /** The most bytes to read. Default: the rest of the file, but never more than the workspace's `maxReadBytes`. */
  length?: number;
  /** A buffer to read into, which saves a copy; `length` is then at most its size. */
  into?: Uint8Array;
  /** Ends the reading, which then rejects. */
  signal?: AbortSignal;
}

/** The content of a file, or a part of it. */
export interface ReadResult {
  /** The bytes; a part of `into` if that was given. */
  bytes: Uint8Array;
  /** The state of the open file, so it belongs to exactly these bytes. */
  stat: FileStat;
}

/**
 * Options for writing a file.
 *
 * @example
 * ```ts
 * import type { FileSystem } from "@haft/core";
 *
 * // Fails with `FILE_EXISTS` if another process was faster.
 * export async function lock(fs: FileSystem): Promise<void> {
 *   await fs.write(".lock", new Uint8Array(), { mode: "create", permissions: 0o600, durable: true });
 * }
 * ```
 */
export interface WriteOptions {
  /** `replace` (default) creates or replaces the file. `create` fails with `FILE_EXISTS` if something is there. */
  mode?: "replace" | "create";
  /** The permission bits of a new file, even with `like`. A file that is replaced keeps its bits. */
  permissions?: number;
  /** Fails with `FILE_CHANGED` unless the file still has this {@link FileStat.version}. `null`: the file must not exist. */
  ifMatch?: string | null;
  /**
   * A file whose owner, group, mode, access list and extended attributes the written file gets, as far as possible.
   * Default: the file it replaces. Otherwise the written file grants less, never more. Access lists and extended attributes
   * are preserved on Linux only.
   */
  like?: string;
  /** Whether to create missing parent folders. Default true. */
  parents?: boolean;
  /** Whether to flush file and folder to disk before returning. Default false. */
  durable?: boolean;
  /** Ends the writing if nothing has changed yet; it then rejects. */
  signal?: AbortSignal;
  /**
   * Checked last before each change; if it fails (`SESSION_LEASE_LOST`), nothing was changed. Other operations that change
   * files take one, too.
   */
  fence?: Fence;
}

/** The result of writing a file. */
export interface WriteResult {
  /** Whether there was no such file before. */
  created: boolean;
  /** The state of the written file. */
  stat: FileStat;
  /** Set if the bytes were read back from the new file. Without it, a caller who must be sure reads the file again. */
  verified?: true;
  /** Set if owner, access list or attributes differ from the file it is `like`, because this user cannot set them. */
  accessLost?: true;
}

/**
 * The files of one workspace. Paths are relative to the main root, absolute inside a mount, or `name:path` for a named
 * root. Every operation enforces the boundary while it acts, not before.
 *
 * Common error codes: `OUTSIDE_WORKSPACE`, `FILE_NOT_FOUND`, `FILE_EXISTS`, `FILE_CHANGED`, `NOT_A_FILE`, `IS_DIRECTORY`,
 * `ACCESS_DENIED`, `READ_ONLY`, `CONSENT_NEEDED`, `PATH_DENIED`, `INVALID_PATH`, `DISK_FULL`.
 *
 * @example
 * ```ts
 * import type { FileSystem } from "@haft/core";
 *
 * // Fails with `FILE_CHANGED` if something else writes the file meanwhile.
 * export async function addLine(fs: FileSystem, path: string, line: string): Promise<void> {
 *   const { bytes, stat } = await fs.read(path);
 *   const text = `${new TextDecoder().decode(bytes)}${line}\n`;
 *   await fs.write(path, new TextEncoder().encode(text), { ifMatch: stat.version });
 * }
 * ```
 */
export interface FileSystem {
  /**
   * Returns the state of a path, or `undefined` if nothing is there. `follow` (default true): of the target of a link.
   * `accessList`: also reports {@link FileStat.accessList}.
   */
  stat(path: string, options?: { follow?: boolean; accessList?: boolean }): Promise<FileStat | undefined>;
  /** Resolves the links of a path; its last component may be missing. Fails outside the boundary. */
  realpath(path: string): Promise<string>;
  /** Returns the entries of a folder, in no order; at most `limit` (default 10,000). `truncated` is set if there are more. */
  list(
    path: string,
    options?: { limit?: number },
  ): Promise<{ entries: DirectoryEntry[]; truncated: boolean }>;
  /** Reads a file, or a part of it. */
  read(path: string, options?: ReadOptions): Promise<ReadResult>;
  /** Writes a file atomically. Only a file whose owner or access list a new file cannot have is written in place. */
  write(path: string, bytes: Uint8Array, options?: WriteOptions): Promise<WriteResult>;
  /** Appends to a file, and creates it if it is missing. */
  append(path: string, bytes: Uint8Array, options?: { fence?: Fence }): Promise<WriteResult>;
  /** Creates missing folders. Returns those it created, outermost first. */
  mkdirp(path: string, options?: { fence?: Fence }): Promise<string[]>;
  /** Removes a file, a link (never its target) or an empty folder. */
  remove(path: string, options?: { ifMatch?: string; fence?: Fence }): Promise<void>;
  /** Moves a file or folder. `replace` (default false): also over an existing file. `ifMatch` is as in {@link WriteOptions}. */
  rename(
    from: string,
    to: string,
    options?: { ifMatch?: string; replace?: boolean; fence?: Fence },
  ): Promise<void>;
  /**
   * Checks the boundary only, and does nothing. Throws what `read` of the path, or `write` of a file there, would throw
   * (category `policy`); the file need not exist. `follow: false`: for removing or renaming the entry itself.
   */
  check?(path: string, access: "read" | "write", options?: { follow?: boolean }): Promise<void>;
  /** Returns the ignore rules outside of the root that holds this path. Absent if only rules inside count, as in a sandbox. */
  outerIgnores?(path: string): Promise<{
    /**
     * Ignore files of the folders above, outermost first. `below` is the path from there to the root, such as
     * `packages/app`.
     */
    above: readonly { name: ".gitignore" | ".ignore" | ".rgignore"; below: string; text: string }[];
    /** The repository of the root: the path from it to the root, and its `info/exclude` if that file is outside. */
    repository?: { below: string; exclude: string };
    /** The rules of the user for every repository: git's `core.excludesFile`. */
    user: string;
  }>;
}

/** One root of a workspace. */
export interface Mount {
  /** The name; `""` for the main root. The others are addressed as `name:path` or by absolute path. */
  name: string;
  /** The absolute path, as the workspace spells it. */
  path: string;
  /** Whether it is read-only. */
  access: "ro" | "rw";
}

/** Location, roots and limits of a workspace. */
export interface WorkspaceDescription {
  /** Where its files are. */
  target: ExecutionTarget;
  /** The name of the workspace on every host; grants for it hold on all of them. Absent: its folder identifies it. */
  name?: string;
  /** For a workspace on a node: the id of the node, the name its operator gave it, and the name of the workspace there. */
  node?: { id: string; name: string; workspace: string };
  /** The absolute folder where relative paths start. */
  cwd: string;
  /** All its roots, the main one first. */
  mounts: readonly Mount[];
  /**
   * How the boundary is enforced. `kernel`: each path component is opened through the handle before it. `best-effort`:
   * paths are checked, then used.
   */
  boundary: "kernel" | "best-effort" | "none";
  /** The contained view in which its commands run, if they do. */
  containment?: ContainmentFacts;
}

/**
 * Files and processes on the host, in a sandbox or on a node. Tools act through it.
 *
 * @example
 * ```ts run
 * import { createMemoryWorkspace } from "@haft/plugin-sdk/testing";
 *
 * const workspace = createMemoryWorkspace({ files: { "src/a.ts": "export {};" } });
 * workspace.describe().cwd; // => "/workspace"
 * const { entries } = await workspace.fs.list("src");
 * entries; // => [{ name: "a.ts", type: "file" }]
 * workspace.processes; // => undefined
 * ```
 */
export interface Workspace {
  /** The files. */
  readonly fs: FileSystem;
  /** The processes. Absent if commands cannot run. */
  readonly processes?: Processes;
  /** Returns location, roots and limits. */
  describe(): WorkspaceDescription;
  /** Returns the same workspace with one more read-only root, addressed as `name:path`. Absent if that is not possible. */
  withRoot?(name: string, path: string): Workspace;
  /**
   * Returns the same workspace, in which these paths may change although they are settings that start programs: somebody
   * agreed. The paths are absolute and real, as in `details.place` of `CONSENT_NEEDED`. Absent if the workspace never needs
   * consent.
   */
  withConsent?(places: readonly string[]): Workspace;
  /**
   * Opens the workspace of a node in which commands of this session may run: of the node with this id or name, or of the
   * only one. It returns the same workspace each time. Absent if commands run only here.
   *
   * @throws HaftError `NODE_…` if no node is meant, it is not approved, or it cannot be reached
   */
  openNodeWorkspace?(node?: string): Promise<Workspace>;
}

/**
 * A log of a host. `details` are JSON.
 *
 * @example
 * ```ts
 * import type { Logger } from "@haft/core";
 *
 * const logger: Logger = {
 *   debug: () => {},
 *   info: (message, details) => console.log(JSON.stringify({ level: "info", message, ...details })),
 *   warn: (message, details) => console.warn(JSON.stringify({ level: "warn", message, ...details })),
 *   error: (message, details) => console.error(JSON.stringify({ level: "error", message, ...details })),
 * };
 * ```
 */
export interface Logger {
  /** Logs a message for debugging. */
  debug(message: string, details?: Record<string, unknown>): void;
  /** Logs an ordinary event. */
  info(message: string, details?: Record<string, unknown>): void;
  /** Logs something that needs attention. */
  warn(message: string, details?: Record<string, unknown>): void;
  /** Logs a failure. */
  error(message: string, details?: Record<string, unknown>): void;
}
