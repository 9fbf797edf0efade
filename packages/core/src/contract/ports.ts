/// <reference lib="esnext.disposable" preserve="true" />
import type { Fence } from "./ledger-port.ts";
import type { ContainmentFacts } from "./policy-port.ts";
import type { Processes } from "./process-port.ts";

declare global {
  // Declared here, so that the contract needs no types of Node or the browser.
  interface AbortSignal {
    readonly aborted: boolean;
    throwIfAborted(): void;
  }
  interface URL {}
  interface RequestInit {}
  interface Response {}
}

/** Locates the files of a workspace. */
export type ExecutionTarget = "host" | "sandbox" | "node";

/** Describes a file or folder. */
export interface FileStat {
  /** States the type of the entry. */
  type: "file" | "directory" | "symlink" | "other";
  /** States the size, in bytes. */
  size: number;
  /** Contains the permission bits. */
  mode: number;
  /** States when it was last modified, in epoch milliseconds. */
  mtimeMs: number;
  /** Contains an opaque string that changes whenever the file is replaced or written. */
  version: string;
  /** Counts the hard links. */
  links: number;
  /** Tells whether more than the mode restricts access, or this is unknown. Only on request. */
  accessList?: boolean;
}

/** Describes one entry of a folder. */
export interface DirectoryEntry {
  /** Contains the name, without the folder. */
  name: string;
  /** States the type, without following links. */
  type: FileStat["type"];
}

/** Selects a part of a file. */
export interface ReadOptions {
  /** Selects the first byte. Default 0. */
  offset?: number;
  /** Limits the bytes. Default: the rest of the file. The workspace's `maxReadBytes` always applies. */
  length?: number;
  /** Receives the bytes without a copy, and limits `length` to its size. */
  into?: Uint8Array;
  /** Aborts the read. */
  signal?: AbortSignal;
}

/** Contains a file, or a part of it. */
export interface ReadResult {
  /** Contains the bytes, as a part of `into` if given. */
  bytes: Uint8Array;
  /** Describes the open file of these bytes. */
  stat: FileStat;
}

/**
 * Controls a write.
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
  /** Selects the effect: `replace` (default), or `create`, which fails with `FILE_EXISTS` if the path exists. */
  mode?: "replace" | "create";
  /** Sets the permission bits of a new file, even with `like`. */
  permissions?: number;
  /** Fails with `FILE_CHANGED` unless the file still has this {@link FileStat.version}. `null`: the file must not exist. */
  ifMatch?: string | null;
  /**
   * Names a file whose owner, group, mode, access list and extended attributes (the last two on Linux only) are copied, if possible.
   * Default: the replaced file. A failed copy grants less, never more.
   */
  like?: string;
  /** Creates missing parent folders. Default true. */
  parents?: boolean;
  /** Flushes file and folder to disk before it returns. Default false. */
  durable?: boolean;
  /** Aborts the write if nothing has changed yet. */
  signal?: AbortSignal;
  /** Permits each change, as the last check of any changing operation. If it fails (`SESSION_LEASE_LOST`), nothing was changed. */
  fence?: Fence;
}

/** Describes a written file. */
export interface WriteResult {
  /** Tells whether the file is new. */
  created: boolean;
  /** Describes the written file. */
  stat: FileStat;
  /** Is set if the bytes were read back. */
  verified?: true;
  /** Is set if owner, access list or attributes could not be copied. */
  accessLost?: true;
}

/**
 * Selects entries of a scan. Entries of a folder are sorted by UTF-16 code units, and a folder precedes its content.
 *
 * @example
 * ```ts
 * import type { ScanOptions } from "@haft/core";
 * const options: ScanOptions = { glob: "*.ts", text: { kind: "literal", text: "TODO" } };
 * ```
 */
export interface ScanOptions {
  /** Includes entries that ignore files hide, but never `.git`. Default false. */
  includeIgnored?: boolean;
  /** Continues after this path, relative to the start. The path may be missing. */
  after?: string;
  /** Begins with `after` itself. Default false. */
  inclusive?: boolean;
  /** Selects paths by a glob, as {@link compileGlob} reads it. */
  glob?: string;
  /** Excludes files that certainly have no matching line. Files that cannot be judged stay. */
  text?: { kind: "literal"; text: string } | { kind: "regex"; source: string; flags: string };
  /** Ends the scan, also between pages. */
  signal?: AbortSignal;
}

/** Describes an entry that a scan found. */
export interface ScanEntry {
  /** Contains the path, relative to the start. */
  path: string;
  /** States the type of the entry itself: links are not followed. */
  type: FileStat["type"];
}

/** Counts folders that a scan did not list completely. */
export interface SkippedFolders {
  /** Counts the folders. */
  count: number;
  /** Contains the path of the first folder, or an empty text. */
  first: string;
}

/**
 * Contains the next entries of a scan. A page may have no entries.
 *
 * @example
 * ```ts
 * import type { ScanPage } from "@haft/core";
 * const files = ({ entries }: ScanPage) => entries.filter(({ type }) => type === "file").map(({ path }) => path);
 * ```
 */
export interface ScanPage {
  /** Lists the selected entries, in order. */
  entries: ScanEntry[];
  /** Contains the path of the last visited entry: a later scan can continue after it. Absent if the page visited none. */
  last?: string;
  /** Tells whether the scan is complete. */
  isLast: boolean;
  /** Counts folders that could not be listed. */
  unreadable: SkippedFolders;
  /** Counts folders with more than 100,000 entries. The others were not read. */
  overflow: SkippedFolders;
  /** Counts folders below 512 levels, or with a path that is too long. */
  tooDeep: SkippedFolders;
  /** Counts entries that ignore files hide: folders, and files that the glob selects. `.git` does not count. */
  ignored: SkippedFolders;
  /** Counts links, which are not followed. */
  links: SkippedFolders;
}

/**
 * Accesses the files of one workspace. Paths are relative to the main root, absolute inside a mount, or `name:path` for a named root. Every
 * operation enforces the boundary while it acts, not before.
 *
 * Common error codes: `OUTSIDE_WORKSPACE`, `FILE_NOT_FOUND`, `FILE_EXISTS`, `FILE_CHANGED`, `NOT_A_FILE`, `IS_DIRECTORY`, `ACCESS_DENIED`,
 * `READ_ONLY`, `CONSENT_NEEDED`, `PATH_DENIED`, `INVALID_PATH`, `DISK_FULL`.
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
   * Returns the state of a path, or `undefined` if it does not exist. `follow` (default true): follows links. `accessList`: also reports
   * {@link FileStat.accessList}.
   */
  stat(path: string, options?: { follow?: boolean; accessList?: boolean }): Promise<FileStat | undefined>;
  /** Resolves the links of a path, whose last component may be missing. Fails outside the boundary. */
  realpath(path: string): Promise<string>;
  /** Returns unordered entries of a folder, at most `limit` (default 10,000). `truncated` reports more. */
  list(
    path: string,
    options?: { limit?: number },
  ): Promise<{ entries: DirectoryEntry[]; truncated: boolean }>;
  /**
   * Lists entries below a folder in pages, and may search their text. {@link scanFolder} calls it, or lists folder by folder if it is absent
   * or returns `undefined`. A missing start rejects. A wrapper that changes `list` or `read` must also replace `scan`.
   */
  scan?(path: string, options: ScanOptions): Promise<AsyncIterable<ScanPage> | undefined>;
  /** Reads a file, or a part of it. */
  read(path: string, options?: ReadOptions): Promise<ReadResult>;
  /** Writes a file atomically, or in place if a new file cannot have the same owner or access list. */
  write(path: string, bytes: Uint8Array, options?: WriteOptions): Promise<WriteResult>;
  /** Appends to a file, or creates it. */
  append(path: string, bytes: Uint8Array, options?: { fence?: Fence }): Promise<WriteResult>;
  /** Creates and returns missing folders, outermost first. */
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
   * Checks only the boundary, with the `policy` errors of a `read` or `write`. The file need not exist. `follow: false`: for removing or
   * renaming the entry itself.
   */
  check?(path: string, access: "read" | "write", options?: { follow?: boolean }): Promise<void>;
  /** Returns the ignore rules outside of this path's root. Absent if only inner rules count, as in a sandbox. */
  outerIgnores?(path: string): Promise<{
    /** Lists ignore files above the root, outermost first. `below` is the path to the root. */
    above: readonly { name: ".gitignore" | ".ignore" | ".rgignore"; below: string; text: string }[];
    /** Describes the repository of the root: the path to the root, and `info/exclude` if that file is outside. */
    repository?: { below: string; exclude: string };
    /** Contains the rules of the user for every repository: git's `core.excludesFile`. */
    user: string;
  }>;
}

/** Describes one root of a workspace. */
export interface Mount {
  /** Names the root; `""` for the main root. Others are addressed as `name:path` or by absolute path. */
  name: string;
  /** Contains the absolute path, as the workspace spells it. */
  path: string;
  /** Allows reads only, or also writes. */
  access: "ro" | "rw";
}

/** Describes location, roots and limits of a workspace. */
export interface WorkspaceDescription {
  /** Locates its files. */
  target: ExecutionTarget;
  /** Names the workspace on every host, for common grants. Absent: its folder identifies it. */
  name?: string;
  /** Describes the node: id, operator's name, and name of the workspace there. */
  node?: { id: string; name: string; workspace: string };
  /** Contains the absolute folder of relative paths. */
  cwd: string;
  /** Lists all roots, the main root first. */
  mounts: readonly Mount[];
  /**
   * States the enforcement of the boundary. `kernel`: opens path components through the previous handle. `best-effort`: checks paths, then
   * uses them.
   */
  boundary: "kernel" | "best-effort" | "none";
  /** Describes the view of contained commands. */
  containment?: ContainmentFacts;
}

/**
 * Contains files and processes on the host, in a sandbox or on a node.
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
  /** Accesses the files. */
  readonly fs: FileSystem;
  /** Controls the processes. Absent if commands cannot run. */
  readonly processes?: Processes;
  /** Returns location, roots and limits. */
  describe(): WorkspaceDescription;
  /** Returns the workspace with another read-only root, `name:path`. Absent if unsupported. */
  withRoot?(name: string, path: string): Workspace;
  /**
   * Returns the workspace with consent to change these paths, real as in `details.place` of `CONSENT_NEEDED`. Absent if consent is never
   * needed.
   */
  withConsent?(paths: readonly string[]): Workspace;
  /**
   * Opens a node's workspace by id, name, or of the only node. Absent if commands run only here.
   *
   * @throws HaftError `NODE_…` if the node is ambiguous, not approved or unreachable
   */
  openNodeWorkspace?(node?: string): Promise<Workspace>;
}

/**
 * Logs for a host. `details` are JSON.
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
  /** Logs a problem. */
  warn(message: string, details?: Record<string, unknown>): void;
  /** Logs a failure. */
  error(message: string, details?: Record<string, unknown>): void;
}
