import type { CommandSubject, PlannedCommand } from "@haft/core";

/** What stands between two commands. Line breaks count as `;`. */
export type Join = "|" | "&&" | "||" | ";";

/** A file that a redirect would open. */
export interface RedirectedFile {
  /** Absolute, or below the folder of its command: `/work/./out.txt`. Links and `..` are not resolved. */
  path: string;
  /** What the redirect does with it; one that does both counts as `write`. */
  access: "read" | "write";
}

/** One simple command, its wrappers looked through. All of its words are literal. */
export interface OutlinedCommand extends PlannedCommand {
  /** The folder it would run in: absolute, not looked at. */
  cwd: string;
  /** Wrappers with the words they take themselves, outermost first: `[["nice", "-n", "5"]]`. */
  wrappers: readonly (readonly string[])[];
  /**
   * What has to be looked up before it can run: the wrappers, then the program itself unless the shell does its
   * work. Bare names, or paths that are absolute.
   */
  programs: readonly string[];
  /** Redirects as they are to be written: `2>&1`, `>/dev/null`. */
  redirects: readonly string[];
  /** Files that it executes beside its program, absolute: what `sh build.sh` is about. */
  scripts: readonly string[];
  /**
   * Files that decide what it does, absolute: of each group the first that is there, and those before it by not being
   * there. A folder is none.
   */
  sources: readonly (readonly string[])[];
  /** It reads more files that say what it does than can be named beforehand: modules, settings, includes. */
  readsMore?: true;
}

/** A command line, taken apart. */
export interface CommandOutline extends CommandSubject {
  /** The commands that could be read, in order: all of them, unless `unclear` is set. */
  commands: readonly OutlinedCommand[];
  /** Between each command and the next; complete in a clear outline only. */
  joins: readonly Join[];
  /** Basename of the shell the text is meant for. */
  shell: string;
  /** It is `unclear`, and all the same every command of it was read, with every file that its words name. */
  tied?: true;
  /** Files that redirects would open, `/dev/null` aside. */
  files: readonly RedirectedFile[];
}
