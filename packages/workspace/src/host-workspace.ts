import { homedir } from "node:os";
import type { Workspace } from "@haft/core";
import { HaftError } from "@haft/core";
import { createCheckedFolders } from "./checked-folders.ts";
import { CREDENTIAL_PATTERNS, createDenyList, READ_ONLY_PATTERNS } from "./deny.ts";
import type { Folders } from "./folders.ts";
import type { HardLinkPolicy } from "./host.ts";
import { createHostFileSystem } from "./host-file-system.ts";
import { createKernelFolders } from "./kernel-folders.ts";
import { createMountTable, WHOLE_HOST } from "./mounts.ts";
import { addSessionRoot } from "./system/session-roots.ts";
import { createWalk } from "./walk.ts";

export interface HostWorkspaceOptions {
  /** The main root: where relative paths start. An existing folder; `~` is the home folder. */
  root: string;
  /** What may be done in the main root; `rw` by default. */
  rootAccess?: "ro" | "rw";
  /** More folders, addressed as `name:path` or by absolute path. The innermost root that holds a path decides. */
  roots?: Readonly<Record<string, { path: string; access: "ro" | "rw" }>>;
  /**
   * Keep to the roots (default). `false` opens the whole file system of the host for reading and writing, still
   * for regular files only, still without what is denied, and read-only roots stay read-only.
   */
  workspaceOnly?: boolean;
  /**
   * Globs of paths nobody may touch, beside the credentials. No slash: at any depth; `/x` absolute, `~/x` in
   * the home folder, else relative to the main root. A folder stands for everything in it. Case is ignored.
   */
  deny?: readonly string[];
  /** Replaces the built-in {@link CREDENTIAL_PATTERNS}. */
  credentials?: readonly string[];
  /**
   * Globs, as in {@link deny}, of paths that may be read and not changed. Replaces the built-in
   * {@link READ_ONLY_PATTERNS}, which keep files from being planted in `.git` for git to run; `[]` for none.
   */
  readOnly?: readonly string[];
  /**
   * Whether files with several names (hard links) are read. `packages` (default): only in `node_modules` and
   * `site-packages`, where package managers link them. `allow`: everywhere, for a project that is itself made of
   * hard links, as `cp -al` makes them; then whoever may write in the workspace and link to a file of the host
   * can have it read. `refuse`: nowhere.
   */
  hardLinks?: HardLinkPolicy;
  /** Most bytes one read may answer unless it brings its own buffer; 64 MiB by default. */
  maxReadBytes?: number;
  /** What `~` means; the home folder of the system's user by default. */
  homeDir?: string;
}

const MAX_READ_BYTES = 64 * 1024 * 1024;

/**
 * Opens files of this machine behind a boundary that holds while an operation runs, not only before it: see
 * `describe().boundary` for how firmly. It keeps nothing open by itself and needs no closing.
 *
 * @throws HaftError `ROOT_INVALID`, `PLATFORM_UNSUPPORTED`
 */
export function createHostWorkspace(options: HostWorkspaceOptions): Workspace {
  if (process.platform === "win32") {
    throw new HaftError("PLATFORM_UNSUPPORTED", "Host workspaces need a POSIX file system.", {
      category: "operational",
      fix: "Run in WSL or a container.",
    });
  }
  return openWorkspace(options, createKernelFolders() ?? createCheckedFolders());
}

/** The same with the way of holding folders chosen by the caller. */
export function openWorkspace(options: HostWorkspaceOptions, folders: Folders): Workspace {
  const home = options.homeDir ?? homedir();
  const wholeHost = options.workspaceOnly === false;
  const table = createMountTable({
    root: options.root,
    rootAccess: options.rootAccess ?? "rw",
    roots: options.roots ?? {},
    wholeHost,
    home,
  });
  const cwd = table.mounts[0]!.path;
  // Not the whole host: who opens it means to, and its programs have to come from somewhere.
  for (const { name, path } of table.mounts) if (name !== WHOLE_HOST) addSessionRoot(path);
  const patterns = [...(options.credentials ?? CREDENTIAL_PATTERNS), ...(options.deny ?? [])];
  const deny = createDenyList(patterns, { root: cwd, home });
  const readOnly = createDenyList(options.readOnly ?? READ_ONLY_PATTERNS, { root: cwd, home });
  const walk = createWalk({ table, folders, deny, home });
  const { hardLinks = "packages", maxReadBytes = MAX_READ_BYTES } = options;
  return {
    fs: createHostFileSystem({ walk, table, deny, readOnly, hardLinks, maxReadBytes }),
    describe: () => ({
      place: "host",
      cwd,
      mounts: table.mounts,
      boundary: wholeHost ? "none" : folders.level,
    }),
    withRoot: (name, path) =>
      openWorkspace({ ...options, roots: { ...options.roots, [name]: { path, access: "ro" } } }, folders),
  };
}
