import type { Workspace } from "@haft/core";
import { requireKnownOptions } from "@haft/core/internal";
import { homedir } from "node:os";
import { CREDENTIAL_PATTERNS } from "../boundary/credential-patterns.ts";
import { createDenyList, type DenyList, READ_ONLY_PATTERNS } from "../boundary/deny.ts";
import { createGuards } from "../boundary/guards.ts";
import type { HardLinkPolicy } from "../boundary/host.ts";
import { createMountTable, rootInvalid, WHOLE_HOST } from "../boundary/mounts.ts";
import { PROJECT_SETTINGS, START_FILES } from "../boundary/start-files.ts";
import { createCheckedFolders } from "../boundary/walk/checked-folders.ts";
import type { Folders } from "../boundary/walk/folders.ts";
import { createKernelFolders } from "../boundary/walk/kernel-folders.ts";
import { createWalk } from "../boundary/walk/walk.ts";
import { DEFAULT_MAX_READ_BYTES } from "../defaults.ts";
import { workspaceError } from "../errors.ts";
import { createGitProgramList } from "../git-programs/git-program-list.ts";
import { isWithin } from "../system/is-within.ts";
import { addSessionRoot } from "../system/session-roots.ts";
import { createHostFileSystem } from "./host-file-system.ts";

/** Which folders of this machine a workspace opens, and what is kept from it there. */
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
   * Globs of paths nobody may touch, beside the credentials. No slash: at any depth below a root, never above it;
   * `/x` absolute, `~/x` in the home folder, else relative to the main root. A folder stands for everything in it.
   * Case is ignored.
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
   * Globs of the user's own start files, which may be read and not changed. Replaces the built-in {@link START_FILES};
   * `[]` for none.
   */
  startFiles?: readonly string[];
  /**
   * Globs of settings in a project that start programs. To change one, somebody has to be asked; whoever cannot
   * ask gets `CONSENT_NEEDED`. Replaces the built-in {@link PROJECT_SETTINGS}; `[]` for none. The same holds, unless it is
   * `[]`, for what git and its hooks start: hooks that `core.hooksPath` names, scripts and hook managers that they start.
   */
  projectSettings?: readonly string[];
  /**
   * Absolute paths of files and folders of code that this process loads when it needs it: they are not changed. A
   * function is asked once, before the first change, with the real paths of the roots.
   */
  code?: readonly string[] | ((roots: readonly string[]) => readonly string[]);
  /** Globs, as in {@link deny}, of what is closed to everybody, but for roots that are added by `withRoot`. */
  closed?: readonly string[];
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

/**
 * Opens files of this machine behind a boundary that holds while an operation runs, not only before it: see
 * `describe().boundary` for how firmly. It keeps nothing open by itself and needs no closing.
 *
 * @throws HaftError `ROOT_INVALID`, `PLATFORM_UNSUPPORTED`
 */
export function createHostWorkspace(options: HostWorkspaceOptions): Workspace {
  requireKnownOptions<HostWorkspaceOptions>("createHostWorkspace", options, {
    root: true,
    rootAccess: true,
    roots: true,
    workspaceOnly: true,
    deny: true,
    credentials: true,
    readOnly: true,
    startFiles: true,
    projectSettings: true,
    code: true,
    closed: true,
    hardLinks: true,
    maxReadBytes: true,
    homeDir: true,
  });
  if (process.platform === "win32") {
    throw workspaceError("PLATFORM_UNSUPPORTED", "Host workspaces need a POSIX file system.", {
      fix: "Run in WSL or a container.",
    });
  }
  const { bun, deno } = process.versions as { bun?: string; deno?: string };
  if (bun !== undefined || deno !== undefined) {
    const engine = bun === undefined ? `Deno ${deno}` : `Bun ${bun}`;
    const why = `Files and commands of the host need Node; this is ${engine}, where files are opened and output arrives otherwise.`;
    throw workspaceError("PLATFORM_UNSUPPORTED", why, { fix: "Run this program with Node." });
  }
  return openWorkspace(options, createKernelFolders() ?? createCheckedFolders());
}

interface Later {
  added?: Readonly<Record<string, string>>;
  consent?: readonly string[];
}

export function openWorkspace(options: HostWorkspaceOptions, folders: Folders, later: Later = {}): Workspace {
  const { added = {}, consent = [] } = later;
  const home = options.homeDir ?? homedir();
  const wholeHost = options.workspaceOnly === false;
  const table = createMountTable({
    root: options.root,
    rootAccess: options.rootAccess ?? "rw",
    roots: { ...options.roots, ...readOnlyRoots(added) },
    wholeHost,
    home,
  });
  const cwd = table.mounts[0]!.path;
  // Not the whole host: who opens it means to, and its programs have to come from somewhere.
  const named = table.mounts.filter(({ name }) => name !== WHOLE_HOST);
  for (const { path } of named) addSessionRoot(path);
  const places = { root: cwd, home, roots: named.map(({ path }) => path) };
  const patterns = [...(options.credentials ?? CREDENTIAL_PATTERNS), ...(options.deny ?? [])];
  const opened = named.filter(({ name }) => name in added).map(({ path }) => path);
  const deny = withClosed(
    createDenyList(patterns, places),
    createDenyList(options.closed ?? [], places),
    opened,
  );
  const { code = [] } = options;
  const guards = createGuards(
    {
      readOnly: options.readOnly ?? READ_ONLY_PATTERNS,
      startFiles: options.startFiles ?? START_FILES,
      projectSettings: options.projectSettings ?? PROJECT_SETTINGS,
      // Who gives up the settings gives up these, as they are of the same kind.
      gitPrograms:
        options.projectSettings?.length === 0
          ? undefined
          : createGitProgramList(places, { home, env: process.env, roots: places.roots }),
      code: typeof code === "function" ? () => code(table.mounts.map(({ path }) => path)) : code,
      consent,
    },
    places,
  );
  const walk = createWalk({ table, folders, deny, home });
  const { hardLinks = "packages", maxReadBytes = DEFAULT_MAX_READ_BYTES } = options;
  return {
    fs: createHostFileSystem({ walk, table, deny, guards, hardLinks, maxReadBytes, home }),
    describe: () => ({
      target: "host",
      cwd,
      mounts: table.mounts,
      boundary: wholeHost ? "none" : folders.level,
    }),
    withRoot(name, path) {
      if (name in { ...options.roots, ...added }) throw rootInvalid(name, "there is a root of that name");
      return openWorkspace(options, folders, { ...later, added: { ...added, [name]: path } });
    },
    withConsent: (agreed) => openWorkspace(options, folders, { ...later, consent: [...consent, ...agreed] }),
  };
}

function readOnlyRoots(added: Readonly<Record<string, string>>): NonNullable<HostWorkspaceOptions["roots"]> {
  return Object.fromEntries(Object.entries(added).map(([name, path]) => [name, { path, access: "ro" }]));
}

/** What is closed to everybody is open to whom it was given as a root afterwards: what a session put aside itself. */
function withClosed(deny: DenyList, closed: DenyList, opened: readonly string[]): DenyList {
  const isClosed = (path: string) => closed.denies(path) && !opened.some((root) => isWithin(path, root));
  return {
    denies: (path) => deny.denies(path) || isClosed(path),
    pins: (path) => deny.pins(path) || closed.pins(path),
  };
}
