import type { CommandSubject, PlannedCommand } from "@haft/core";

/**
 * A part of a script: text of the shell as it is to be written, a command by its place in the outline, or the program that
 * a command starts, alone. The text `"\n"` ends a command, and what holds a `)` ends a part of its own.
 */
export type Fragment = string | number | { readonly program: number };

/** A file that a redirect would open. */
export interface RedirectedFile {
  /** Absolute, or below the folder of its command: `/work/./out.txt`. Links and `..` are not resolved. */
  path: string;
  /** What the redirect does with it; one that does both counts as `write`. */
  access: "read" | "write";
  /** Place of the first command that runs with it; those before it run earlier, or beside it. */
  from: number;
  /** Place of the last one. */
  to: number;
}

/** One simple command, its wrappers looked through. All of its words are literal, unless it is `open`. */
export interface TemplateCommand extends PlannedCommand {
  /** The folder it would run in: absolute, not looked at. */
  cwd: string;
  /** Wrappers with the words they take themselves, outermost first: `[["nice", "-n", "5"]]`. */
  wrappers: readonly (readonly string[])[];
  /**
   * What has to be looked up before it can run: the wrappers, then the program itself unless the shell does its
   * work. Bare names, or paths that are absolute.
   */
  programs: readonly string[];
  /** Variables it gets beside those of all commands. */
  assignments: readonly { readonly name: string; readonly value: string }[];
  /** How words are to be written that are not literal, by their places in `argv`. */
  fills: ReadonlyMap<number, readonly Fragment[]>;
  /** Its words are other ones than those in the text: names of files or values were put in. */
  expanded?: true;
  /** Redirects, in order. */
  redirects: readonly Redirect[];
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

/**
 * A redirect: as it is to be written (`2>&1`, `>/dev/null`), with the file behind it (`>` and `/work/out.txt`), or with the
 * text that a here-document hands over.
 */
export type Redirect = string | { operator: string; file: string } | { operator: string; text: string };

/** A command line, taken apart. */
export interface CommandTemplate extends CommandSubject {
  /** The commands that could be read, in the order in which they start: all of them, unless `unclear` is set. */
  commands: readonly TemplateCommand[];
  /** How they hang together; complete in a clear outline only. */
  shape: readonly Fragment[];
  /** Basename of the shell the text is meant for. */
  shell: string;
  /** The system it would run on, where that was said. */
  platform?: string;
  /** It is `unclear`, and all the same every command of it was read, with every file that its words name. */
  tied?: true;
  /** Files that redirects would open, `/dev/null` aside. Where nothing is known of the place, they make it `unclear`. */
  files: readonly RedirectedFile[];
  /** A redirect with `>` makes its file, and fails where there is one; one with `>|` takes what is there. */
  makesFiles?: true;
  /** So many of the first commands were not to change which files there are: names of files were put in behind them. */
  looksAfter?: number;
}
