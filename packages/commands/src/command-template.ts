import type { CommandSubject, PlannedCommand } from "@haft/core";
import { withoutUndefined } from "@haft/utils";

/**
 * Describes a part of a script: shell text, the index of a command, only its program, or a script as one word. The text `" "` ends a
 * command; a text with `)` ends a nested part.
 */
export type Fragment =
  | string
  | number
  | { readonly program: number }
  | { readonly script: readonly Fragment[] };

/** Describes a file that a redirect would open. */
export interface RedirectedFile {
  /** Contains the path: absolute, or below the folder of its command (`/work/./out.txt`). Links and `..` are not resolved. */
  path: string;
  /** States how the redirect uses the file; reading and writing counts as `write`. */
  access: "read" | "write";
  /** Gives the index of the first command that runs with it. Earlier commands run before it or in parallel. */
  from: number;
  /** Gives the index of the last command that runs with it. */
  to: number;
}

/**
 * Describes one simple command, without its wrappers. Unless it is `open`, all words are literal.
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
  /** Contains the absolute folder, unchecked. */
  cwd: string;
  /** Contains the wrappers, outermost first: `[["nice", "-n", "5"]]`. */
  wrappers: readonly (readonly string[])[];
  /** Lists the wrappers, then the program unless it is a builtin. Each is a bare name or an absolute path. */
  programs: readonly string[];
  /** Contains the variables that only this command gets. */
  assignments: readonly { readonly name: string; readonly value: string }[];
  /** Maps the index in `argv` of a word that is not literal to its text. */
  fills: ReadonlyMap<number, readonly Fragment[]>;
  /** Set if file names or values were inserted. */
  expanded?: true;
  /** Contains the redirects, in order. */
  redirects: readonly Redirect[];
  /** Contains the absolute paths of other files that it executes: the script in `sh build.sh`. */
  scripts: readonly string[];
  /**
   * Contains the absolute paths of files that control it, in groups: the first existing file of each group counts, and earlier files by
   * their absence. Folders do not count.
   */
  sources: readonly (readonly string[])[];
  /** Set if it reads more files that cannot be listed in advance: modules, settings, includes. */
  readsMore?: true;
}

/**
 * Describes a redirect: its text (`2>&1`), its operator and file (`>` and `/work/out.txt`), or its operator and the text of a
 * here-document.
 */
export type Redirect = string | { operator: string; file: string } | { operator: string; text: string };

/**
 * Describes a parsed command line.
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
  /** Contains the commands in the order of their start. If `unclear` is set, some may be missing. */
  commands: readonly TemplateCommand[];
  /** Describes how the commands are connected; complete only if nothing is unclear. */
  shape: readonly Fragment[];
  /** Gives the base name of the shell. */
  shell: string;
  /** Names the system, if the options name it. */
  platform?: string;
  /** Set if the text is `unclear`, but every command was parsed, with every named file. */
  tied?: true;
  /** Contains the files of redirects, without `/dev/null`. */
  files: readonly RedirectedFile[];
  /** Set if a command can run after any other one of the line: in a loop (`repeated`), or in the background (`parallel`). */
  unordered?: "repeated" | "parallel";
  /** Set if `>` must create its file and fails if it exists, while `>|` overwrites it. */
  makesFiles?: true;
  /** Gives the number of first commands that must not create or delete files, because file names were inserted later. */
  looksAfter?: number;
}

/**
 * Returns the part of a command that plans and policies contain.
 *
 * @example
 * ```ts run
 * import { analyzeCommand, toPlannedCommand } from "@haft/commands";
 *
 * const { commands } = await analyzeCommand("pwd", { cwd: "/work" });
 * commands.map(toPlannedCommand); // => [{ name: "pwd", argv: ["pwd"], through: [], builtin: true, harmless: true }]
 * ```
 */
export function toPlannedCommand(command: TemplateCommand): PlannedCommand {
  const { name, argv, open, through, path, builtin, harmless, notHarmless, nested, carrier } = command;
  return withoutUndefined({
    name,
    argv,
    open,
    through,
    path,
    builtin,
    harmless,
    notHarmless,
    nested,
    carrier,
  });
}
