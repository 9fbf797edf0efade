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
  /** Files by which a host is let into a server, or sealed there, wherever they lie. */
  keyFiles?: readonly string[] | undefined;
}

/** The number of a user: as many digits as there can be. */
const USER = Array.from({ length: 10 }, (_, more) => "[0-9]".repeat(more + 1)).join(",");

/** Names in folders for temporary files: output and runners, sandboxes, locks, results put aside, and what they start. */
const TEMPORARY = [
  `haft-{user,${USER}}{,-sandboxes,-contained}`,
  `haft-locks-{${USER}}`,
  "haft-{spool,srt,probe}-??????",
  ".haft-runner-??????",
];

/**
 * Globs of what this host, and others by their defaults, keep: state, the user's configuration, output of commands, results put
 * aside, copies of programs and compiled code. Closed to every session, wherever its roots are. Folders as they are named and as they really are.
 */
export function getReservedPatterns(places: ReservedPaths): string[] {
  const { spoolDir } = places;
  const temporary = temporaryFolders().flatMap((folder) =>
    TEMPORARY.map((name) => `${folder === "/" ? "" : escapeGlob(folder)}/${name}`),
  );
  const spools = spoolDir === undefined ? [] : withRealPaths([spoolDir]);
  return [
    ...getReservedFolders(places).map(escapeGlob),
    ...temporary,
    ...spools.map((folder) => `${escapeGlob(folder)}/haft-spool-??????`),
  ];
}

/** The same as folders, as far as they have names of their own: what holds one of them is not mounted. */
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
