import type { CommandSubject, PlannedCommand } from "@haft/core";

/**
 * A part of a script: shell text as it is to be written, the index of a command, or only the program of a command. The text
 * `"
 * "` ends a command; a text with `)` ends a nested part.
 */
export type Fragment = string | number | { readonly program: number };

/** A file that a redirect would open. */
export interface RedirectedFile {
  /** The path: absolute, or below the folder of its command (`/work/./out.txt`). Links and `..` are not resolved. */
  path: string;
  /** How the redirect uses the file; one that reads and writes counts as `write`. */
  access: "read" | "write";
  /** The index of the first command that runs with it. Earlier commands run before it or beside it. */
  from: number;
  /** The index of the last command that runs with it. */
  to: number;
}

/**
 * One simple command, without its wrappers. All its words are literal, unless it is `open`.
 *
 * @example
 * ```ts run
 * import { analyzeCommand } from "@haft/commands";
 *
 * const { commands } = await analyzeCommand("timeout 5 sh build.sh", { cwd: "/work" });
 * const [command] = commands;
 * command?.wrappers; // => [["timeout", "5"]]
 * command?.scripts; // => ["/work/build.sh"]
 * ```
 */
export interface TemplateCommand extends PlannedCommand {
  /** The absolute folder it would run in, which was not checked. */
  cwd: string;
  /** The wrappers with their words, outermost first: `[["nice", "-n", "5"]]`. */
  wrappers: readonly (readonly string[])[];
  /**
   * What has to be found before it can run: the wrappers, then the program itself unless the shell does its work. Each is a
   * bare name or an absolute path.
   */
  programs: readonly string[];
  /** The variables it gets beside those of all commands. */
  assignments: readonly { readonly name: string; readonly value: string }[];
  /** How to write the words that are not literal, by their index in `argv`. */
  fills: ReadonlyMap<number, readonly Fragment[]>;
  /** Set if its words differ from those in the text, because file names or values were inserted. */
  expanded?: true;
  /** The redirects, in order. */
  redirects: readonly Redirect[];
  /** The absolute paths of files that it executes beside its program: the script in `sh build.sh`. */
  scripts: readonly string[];
  /**
   * The absolute paths of files that decide what it does, in groups: of each group the first that exists counts, and those
   * before it by their absence. A folder does not count.
   */
  sources: readonly (readonly string[])[];
  /** Set if it reads further files that affect it and cannot be listed in advance: modules, settings, includes. */
  readsMore?: true;
}

/**
 * A redirect: its text (`2>&1`, `>/dev/null`), its operator and file (`>` and `/work/out.txt`), or its operator and the
 * text of a here-document.
 */
export type Redirect = string | { operator: string; file: string } | { operator: string; text: string };

/**
 * A parsed command line.
 *
 * @example
 * ```ts run
 * import { analyzeCommand, type CommandTemplate } from "@haft/commands";
 *
 * const template: CommandTemplate = await analyzeCommand("make test > log.txt", { cwd: "/work" });
 * template.shape; // => [0]
 * template.files.map(({ path, access }) => `${access} ${path}`); // => ["write /work/log.txt"]
 * ```
 */
export interface CommandTemplate extends CommandSubject {
  /** The commands in the order in which they start. If `unclear` is set, some may be missing. */
  commands: readonly TemplateCommand[];
  /** How the commands are connected; complete only if nothing is unclear. */
  shape: readonly Fragment[];
  /** The base name of the shell the text is for. */
  shell: string;
  /** The system it would run on, if the options named it. */
  platform?: string;
  /** Set if the text is `unclear`, but every command in it was parsed, with every file that its words name. */
  tied?: true;
  /** The files that redirects would open, without `/dev/null`. Without a `context` they make the text `unclear`. */
  files: readonly RedirectedFile[];
  /** Set if a redirect with `>` has to create its file and fails if it exists, while one with `>|` overwrites it. */
  makesFiles?: true;
  /** The number of first commands that must not create or delete files, because file names were inserted after them. */
  looksAfter?: number;
}
