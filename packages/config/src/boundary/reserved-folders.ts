import { escapeGlob } from "@haft/workspace/internal/boundary";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { resolveConfigFolder } from "./config-folder.ts";
import { homeFolder } from "./home-folder.ts";
import { withRealPaths, stateFolders } from "./state-folder.ts";

export interface ReservedPaths {
  stateDir?: string | false | undefined;
  spoolDir?: string | undefined;
  processState?: string | undefined;
  /** Lists credentials for a server and keys that seal data there. */
  keyFiles?: readonly string[] | undefined;
}

const USER = Array.from({ length: 10 }, (_, more) => "[0-9]".repeat(more + 1)).join(",");

/** Names in temporary folders: output and runners, sandboxes, locks, spooled results, and started programs. */
const TEMPORARY = [
  `haft-{user,${USER}}{,-sandboxes,-contained}`,
  `haft-locks-{${USER}}`,
  "haft-{spool,srt,probe}-??????",
  ".haft-runner-??????",
];

/**
 * Returns globs of the files of this and other hosts, closed to every session: state, configuration, output, spooled results, copies of
 * programs and compiled code. Folders appear by name and by real path.
 */
export function getReservedPatterns(paths: ReservedPaths): string[] {
  const { spoolDir } = paths;
  const temporary = temporaryFolders().flatMap((folder) =>
    TEMPORARY.map((name) => `${folder === "/" ? "" : escapeGlob(folder)}/${name}`),
  );
  const spools = spoolDir === undefined ? [] : withRealPaths([spoolDir]);
  return [
    ...getReservedFolders(paths).map(escapeGlob),
    ...temporary,
    ...spools.map((folder) => `${escapeGlob(folder)}/haft-spool-??????`),
  ];
}

/** Returns the same as folders, without temporary names. A folder that contains one of them is not mounted. */
export function getReservedFolders({ stateDir, processState, keyFiles = [] }: ReservedPaths): string[] {
  const user = process.getuid?.() ?? "user";
  const config = resolveConfigFolder();
  return [
    ...stateFolders(stateDir),
    ...withRealPaths([
      ...temporaryFolders().flatMap((folder) => [
        join(folder, `haft-${user}`),
        join(folder, `haft-${user}-sandboxes`),
        join(folder, `haft-${user}-contained`),
        join(folder, `haft-locks-${user}`),
      ]),
      ...caches(),
      ...(config === undefined ? [] : [config]),
      ...(processState === undefined ? [] : [processState]),
      ...keyFiles,
    ]),
  ];
}

export function temporaryFolders(): string[] {
  return withRealPaths([tmpdir(), "/tmp", "/var/tmp", "/dev/shm"]);
}

function caches(): string[] {
  const { XDG_CACHE_HOME: xdg } = process.env;
  const home = homeFolder();
  const folders = ["/var/cache/haft", ...(home === undefined ? [] : [join(home, ".cache", "haft")])];
  return xdg === undefined || xdg === "" ? folders : [...folders, join(resolve(xdg), "haft")];
}
