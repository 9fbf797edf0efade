import type { Workspace } from "@haft/core";
import { requireKnownOptions } from "@haft/core/internal";
import { addSessionRoot } from "@haft/system";
import { withoutUndefined } from "@haft/utils";
import { READ_ONLY_PATTERNS } from "../boundary/deny.ts";
import { createGuards } from "../boundary/guards.ts";
import type { HardLinkPolicy } from "../boundary/host.ts";
import { rootInvalid, WHOLE_HOST } from "../boundary/mounts.ts";
import { type BoundaryOptions, openBoundary } from "../boundary/open-boundary.ts";
import { PROJECT_SETTINGS, START_FILES } from "../boundary/start-files.ts";
import { createCheckedFolders } from "../boundary/walk/checked-folders.ts";
import type { Folders } from "../boundary/walk/folders.ts";
import { createKernelFolders } from "../boundary/walk/kernel-folders.ts";
import { DEFAULT_MAX_READ_BYTES } from "../defaults.ts";
import { workspaceError } from "../errors.ts";
import { createGitProgramList } from "../git-programs/git-program-list.ts";
import { createHostFileSystem, type Scanner } from "./host-file-system.ts";

/**
 * Configures {@link createHostWorkspace}: the folders of a workspace, and the protected paths in them.
 *
 * @example
 * ```ts
 * import type { HostWorkspaceOptions } from "@haft/workspace";
 * const options: HostWorkspaceOptions = {
 *   root: "~/projects/shop",
 *   roots: { docs: { path: "/srv/docs", access: "ro" } },
 *   deny: ["*.pem", "secrets/"],
 *   maxReadBytes: 8 * 1024 * 1024,
 * };
 * ```
 */
export interface HostWorkspaceOptions {
  /** Names the main root, which relative paths start from: an existing folder. `~` is the home folder. */
  root: string;
  /** Access to the main root. Default `rw`. */
  rootAccess?: "ro" | "rw";
  /** Adds folders, addressed as `name:path` or by absolute path. The innermost root that contains a path decides. */
  roots?: Readonly<Record<string, { path: string; access: "ro" | "rw" }>>;
  /**
   * Whether only the roots are accessible (default true). `false` opens the whole file system: only regular files, without denied paths;
   * read-only roots stay read-only.
   */
  workspaceOnly?: boolean;
  /**
   * Globs of denied paths, in addition to the credentials. Without a slash: at any depth below a root, never above it. `/x` is absolute,
   * `~/x` is in the home folder, other globs are relative to the main root. A folder includes its content. Case is ignored.
   */
  deny?: readonly string[];
  /** Replaces the built-in {@link CREDENTIAL_PATTERNS}. */
  credentials?: readonly string[];
  /** Globs of read-only paths, as in {@link deny}. Replaces {@link READ_ONLY_PATTERNS} (the content of `.git`); `[]` for none. */
  readOnly?: readonly string[];
  /** Globs of the user's read-only start files. Replaces the built-in {@link START_FILES}; `[]` for none. */
  startFiles?: readonly string[];
  /**
   * Globs of project settings that start programs. Changes need consent, or fail with `CONSENT_NEEDED`. Replaces the built-in
   * {@link PROJECT_SETTINGS}; `[]` for none. Unless it is `[]`, the same applies to files that git and its hooks start, also those of
   * `core.hooksPath` and hook managers.
   */
  projectSettings?: readonly string[];
  /** Absolute, read-only paths of code that this process loads later. A function gets the real roots, once before the first change. */
  code?: readonly string[] | ((roots: readonly string[]) => readonly string[]);
  /** Globs of denied paths, as in {@link deny}, that roots added by `withRoot` can open. */
  closed?: readonly string[];
  /**
   * Whether files with several names (hard links) can be read. `packages` (default): only in `node_modules` and `site-packages`, if every
   * user of the host may read them. `allow`: everywhere; then anybody who may write in the workspace and link to a file of the host can
   * read it. `refuse`: nowhere. Writes create a new file; appends in place are always rejected.
   */
  hardLinks?: HardLinkPolicy;
  /** Limits one read without a buffer of the caller, in bytes. Default 64 MiB. */
  maxReadBytes?: number;
  /** The folder that `~` refers to. Default: the home folder of the system's user. */
  homeDir?: string;
}

/**
 * Opens files of this machine behind a boundary that holds while an operation runs. `describe().boundary` returns its strength. The
 * workspace needs no closing.
 *
 * @throws HaftError `ROOT_INVALID`, `PLATFORM_UNSUPPORTED`
 *
 * @example
 * ```ts run
 * import { createHostWorkspace } from "@haft/workspace";
 * const { fs } = createHostWorkspace({ root: process.cwd() });
 * await fs.write("notes.md", new TextEncoder().encode("# Notes\n"));
 * const { bytes } = await fs.read("notes.md");
 * new TextDecoder().decode(bytes); // => "# Notes\n"
 * ```
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
    const why = `Files and commands of the host need Node; this is ${engine}, which handles files and output differently.`;
    throw workspaceError("PLATFORM_UNSUPPORTED", why, { fix: "Run this program with Node." });
  }
  return openWorkspace(options, createKernelFolders() ?? createCheckedFolders(), { scan: scanInThreads });
}

const scanInThreads: Scanner = async (request) =>
  (await import("../scan/scan-workspace.ts")).scanWorkspace(request);

interface Later {
  /** Absent in a runner, which scans without threads. */
  scan?: Scanner;
  added?: Readonly<Record<string, string>>;
  consent?: readonly string[];
}

export function openWorkspace(options: HostWorkspaceOptions, folders: Folders, later: Later = {}): Workspace {
  const { added = {}, consent = [] } = later;
  const settings = boundaryOptions(options, added);
  const boundary = openBoundary(settings, folders);
  const { table, home } = boundary;
  const cwd = table.mounts[0]!.path;
  // Otherwise, every host program would count as a file of a session.
  const roots = table.mounts.filter(({ name }) => name !== WHOLE_HOST).map(({ path }) => path);
  for (const path of roots) addSessionRoot(path);
  const context = { root: cwd, home, roots };
  const { code = [] } = options;
  const guards = createGuards(
    {
      readOnly: options.readOnly ?? READ_ONLY_PATTERNS,
      startFiles: options.startFiles ?? START_FILES,
      projectSettings: options.projectSettings ?? PROJECT_SETTINGS,
      // `[]` disables these as well.
      gitPrograms:
        options.projectSettings?.length === 0
          ? undefined
          : createGitProgramList(context, { home, env: process.env, roots }),
      code: typeof code === "function" ? () => code(table.mounts.map(({ path }) => path)) : code,
      consent,
    },
    context,
  );
  const { maxReadBytes = DEFAULT_MAX_READ_BYTES } = options;
  return {
    fs: createHostFileSystem(
      { ...boundary, guards, maxReadBytes },
      later.scan && { settings, scan: later.scan },
    ),
    describe: () => ({
      target: "host",
      cwd,
      mounts: table.mounts,
      boundary: options.workspaceOnly === false ? "none" : folders.level,
    }),
    withRoot(name, path) {
      if (name in { ...options.roots, ...added }) throw rootInvalid(name, "a root with this name exists");
      return openWorkspace(options, folders, { ...later, added: { ...added, [name]: path } });
    },
    withConsent: (agreed) => openWorkspace(options, folders, { ...later, consent: [...consent, ...agreed] }),
  };
}

function boundaryOptions(
  {
    root,
    rootAccess,
    roots,
    workspaceOnly,
    deny,
    credentials,
    closed,
    hardLinks,
    homeDir,
  }: HostWorkspaceOptions,
  added: Readonly<Record<string, string>>,
): BoundaryOptions {
  return withoutUndefined({
    root,
    rootAccess,
    roots,
    workspaceOnly,
    deny,
    credentials,
    closed,
    hardLinks,
    homeDir,
    added,
  });
}
