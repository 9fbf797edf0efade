import type { CommandTemplate, TemplateCommand, Fragment } from "./command-template.ts";
import { commandError } from "./errors.ts";
import { locateFile } from "./words/names.ts";
import { quoteWord } from "./words/quote.ts";

/** Contains `argv` without a shell, or a `script` for the given shell. */
export type RebuiltCommand = { argv: readonly string[] } | { script: string; shell: string };

type ExecutableOf = (program: string) => string | undefined;

/**
 * Builds a command line that runs exactly the commands of a clear template. Each program has its absolute path and each word is quoted, so
 * no shell replaces anything.
 *
 * @param executableOf Returns the absolute path of an entry of `TemplateCommand.programs`, with links unresolved: some programs depend on
 * their name.
 * @throws HaftError `COMMAND_UNCLEAR` for an unclear or empty template, or a program without a path
 * @example
 * ```ts run
 * import { analyzeCommand, rebuildCommand } from "@haft/commands";
 *
 * const template = await analyzeCommand("git log -1", { cwd: "/work" });
 * rebuildCommand(template, (program) => `/usr/bin/${program}`); // => { argv: ["/usr/bin/git", "log", "-1"] }
 * ```
 */
export function rebuildCommand(
  outline: CommandTemplate,
  executableOf: (program: string) => string | undefined,
): RebuiltCommand {
  const { commands, shape, unclear, shell } = outline;
  if (unclear !== undefined || commands.length === 0) {
    throw commandError("COMMAND_UNCLEAR", `The command cannot be rebuilt: ${unclear ?? "it is empty"}.`);
  }
  const start = outline.makesFiles === true ? "set -C\n" : "";
  const writer = new ScriptWriter(commands, executableOf, start);
  const [only] = shape;
  const alone = shape.length === 1 && typeof only === "number" ? commands[only] : undefined;
  if (alone !== undefined && !needsShell(alone)) {
    const argv = writer.wordsOf(alone).map((word) => (typeof word === "string" ? word : writer.wordOf(word)));
    if (argv.every((word) => word !== undefined)) return { argv };
  }
  writer.write(shape);
  return { script: start + writer.end(), shell };
}

function needsShell(command: TemplateCommand): boolean {
  return (
    command.builtin === true || isTimed(command) || command.redirects.length + command.assignments.length > 0
  );
}

function isTimed({ through, wrappers }: TemplateCommand): boolean {
  return through.length > wrappers.length && through[0] === "time";
}

class ScriptWriter {
  #script = "";
  #waiting: string[] = [];
  readonly #commands: readonly TemplateCommand[];
  readonly #executableOf: ExecutableOf;
  /** Begins the script of each shell. */
  readonly #start: string;

  constructor(commands: readonly TemplateCommand[], executableOf: ExecutableOf, start: string) {
    this.#commands = commands;
    this.#executableOf = executableOf;
    this.#start = start;
  }

  write(shape: readonly Fragment[]): void {
    for (const piece of shape) {
      if (typeof piece === "number") this.#writeCommand(this.#commands[piece] as TemplateCommand);
      else if (typeof piece === "object") this.#script += quoteWord(this.wordOf([piece]) ?? "");
      else if (piece === "\n") this.#endLine();
      else {
        if (/^ \)"?$/.test(piece) && this.#waiting.length > 0) this.#endLine();
        this.#script += piece;
      }
    }
  }

  end(): string {
    if (this.#waiting.length > 0) this.#endLine();
    return this.#script;
  }

  wordsOf(command: TemplateCommand): (string | readonly Fragment[])[] {
    const { argv, builtin, name, wrappers, programs, fills } = command;
    const written = argv.map((word, at) => fills.get(at) ?? word);
    if (builtin) {
      // CDPATH cannot redirect an absolute path.
      return name === "cd" ? ["cd", locateFile(argv[1] ?? "", command.cwd)] : written;
    }
    return [...wrappers, written].flatMap((words, at) => [
      this.#locate(programs[at] ?? ""),
      ...words.slice(1),
    ]);
  }

  /** Returns `undefined` for a word that only a shell can form. */
  wordOf(pieces: readonly Fragment[]): string | undefined {
    const [only] = pieces;
    if (pieces.length !== 1 || typeof only !== "object") return undefined;
    if ("script" in only) return this.#start + this.#writeInside(only.script);
    return this.#locate(this.#commands[only.program]?.programs.at(-1) ?? "");
  }

  #writeCommand(command: TemplateCommand): void {
    if (isTimed(command)) this.#script += "time ";
    for (const { name, value } of command.assignments) this.#script += `${name}=${quoteWord(value)} `;
    for (const [at, word] of this.wordsOf(command).entries()) {
      if (at > 0) this.#script += " ";
      if (typeof word === "string") this.#script += quoteWord(word);
      else this.#script += this.#writeInside(word);
    }
    for (const redirect of command.redirects) {
      if (typeof redirect === "string") this.#script += ` ${redirect}`;
      else if ("file" in redirect) this.#script += ` ${redirect.operator}${quoteWord(redirect.file)}`;
      else this.#script += ` ${redirect.operator}${quoteWord(this.#wait(redirect.text))}`;
    }
  }

  #writeInside(shape: readonly Fragment[]): string {
    const writer = new ScriptWriter(this.#commands, this.#executableOf, this.#start);
    writer.write(shape);
    return writer.end();
  }

  /** The end word must not be a line of the text. */
  #wait(text: string): string {
    const lines = new Set(text.split("\n"));
    let end = "END";
    while (lines.has(end)) end += "_";
    this.#waiting.push(`${text}${end}\n`);
    return end;
  }

  #endLine(): void {
    this.#script += `\n${this.#waiting.join("")}`;
    this.#waiting = [];
  }

  #locate(program: string): string {
    const path = this.#executableOf(program);
    if (path?.startsWith("/")) return path;
    throw commandError("COMMAND_UNCLEAR", `It is not known where ${program} is.`, {
      fix: "Look up every entry of `programs` before the command is rebuilt.",
    });
  }
}
