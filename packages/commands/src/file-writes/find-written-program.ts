import { resolve } from "node:path/posix";
import type { CommandTemplate, TemplateCommand } from "../command-template.ts";
import { baseName } from "../words/names.ts";
import { COPY_PROGRAMS, fillsFolder } from "./fills-folder.ts";
import { isReadOnlyCommand } from "./is-read-only.ts";

/** They keep the text of what they name, check or build it, or run code of which nobody knows what it writes. */
const KEEPS =
  /^(?:chmod|touch|.*(?:cc|\+\+)|clang|rustc|go|p?np[mx]|yarn|node|python.*|eslint|prettier|black|ruff|shellcheck)$/;

/**
 * Why it cannot be told what a line runs: it runs a file that it writes itself, so that rules about commands see neither. Nothing where
 * each file that it runs is as it is now, as far as its words say. `realPath` resolves the links of an absolute path, as far as it is there.
 */
export function findWrittenProgram(
  { commands, files }: CommandTemplate,
  realPath: (path: string) => string,
  isThere: (path: string) => boolean,
): string | undefined {
  const written = files.flatMap(({ path, access }) => (access === "write" ? [realPath(path)] : []));
  const all = new Set([...written, ...commands.flatMap(namedBy).map(realPath)]);
  const names = new Map(written.map((path) => [baseName(path), path]));
  const filling = commands.filter(isFilling);
  for (const command of commands) {
    const started = startedBy(command);
    const path =
      [...started, ...command.sources.flat()].find((each) => all.has(realPath(each))) ??
      (filling.some((each) => each !== command) ? started.find((each) => !isThere(each)) : undefined);
    // A name that nothing has yet may be that of a file that comes onto the search path.
    const isNew = !command.builtin && command.path === undefined;
    const name = path ?? (isNew ? names.get(command.name) : undefined);
    if (name !== undefined) return `it runs ${resolve(name)}, which another part of it writes`;
  }
  return undefined;
}

/** All files of which {@link findWrittenProgram} asks. */
export function listWrittenFiles({ commands, files }: CommandTemplate): string[] {
  const run = commands.flatMap((command) => [...startedBy(command), ...command.sources.flat()]);
  return run.length === 0 ? [] : [...run, ...files.map(({ path }) => path), ...commands.flatMap(namedBy)];
}

function startedBy({ argv, cwd, scripts }: TemplateCommand): string[] {
  const [program = ""] = argv;
  return [...(program.includes("/") ? [resolve(cwd, program)] : []), ...scripts];
}

/** What a command may write, by its words: not what it runs itself. */
function namedBy(command: TemplateCommand): string[] {
  const { name, argv, cwd, sources } = command;
  const program = baseName(name);
  if (KEEPS.test(program) || isReadOnlyCommand(command)) return [];
  const words = argv
    .slice(1)
    .flatMap((word) => [word, word.slice(word.indexOf("=") + 1)])
    .filter((word) => /^[^-]/.test(word));
  const into = words.at(argv.some((word) => /^-(?:\w*|-)t/.test(word)) ? 0 : -1);
  // What they copy they only read.
  const named = COPY_PROGRAMS.test(program)
    ? [`${into}`, ...words.map((word) => `${into}/${baseName(word)}`)]
    : words;
  const own = new Set([...startedBy(command), ...sources.flat()].map((path) => resolve(path)));
  return named.map((word) => resolve(cwd, word)).filter((path) => !own.has(path));
}

function isFilling({ name, argv }: TemplateCommand): boolean {
  const program = baseName(name);
  return COPY_PROGRAMS.test(program) || fillsFolder(program, argv);
}
