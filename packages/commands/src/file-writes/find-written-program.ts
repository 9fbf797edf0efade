import { resolve } from "node:path/posix";
import type { CommandTemplate, TemplateCommand } from "../command-template.ts";
import { baseName } from "../words/names.ts";
import { COPY_PROGRAMS, fillsFolder } from "./fills-folder.ts";
import { isReadOnlyCommand } from "./is-read-only.ts";

/** They do not change the files that they name, check or build them, or run code with unknown writes. */
const KEEPS =
  /^(?:chmod|touch|.*(?:cc|\+\+)|clang|rustc|go|p?np[mx]|yarn|node|python.*|eslint|prettier|black|ruff|shellcheck)$/;

/**
 * Returns why a line runs a file that it also writes, as the end of a sentence. Rules for commands do not see the content of such a file.
 * Returns `undefined` if its words show no such write.
 *
 * @param realPath Resolves the links of an absolute path, as far as it exists.
 * @example
 * ```ts run
 * import { analyzeCommand, findWrittenProgram } from "@haft/commands";
 *
 * const template = await analyzeCommand("cp evil.sh build.sh && sh build.sh", { cwd: "/work" });
 * const why = findWrittenProgram(template, (path) => path, () => true);
 * why; // => "it runs /work/build.sh, which another part of it writes"
 * ```
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
    // A missing program may be created on the search path.
    const isNew = !command.builtin && command.path === undefined;
    const name = path ?? (isNew ? names.get(command.name) : undefined);
    if (name !== undefined) return `it runs ${resolve(name)}, which another part of it writes`;
  }
  return undefined;
}

/**
 * Returns all paths that {@link findWrittenProgram} checks.
 *
 * @example
 * ```ts
 * import { realpath } from "node:fs/promises";
 * import { type CommandTemplate, listWrittenFiles } from "@haft/commands";
 *
 * // Resolves links once, before `findWrittenProgram` needs them.
 * export async function resolveFiles(template: CommandTemplate): Promise<Map<string, string>> {
 *   const found = listWrittenFiles(template).map(async (path) => [path, await realpath(path).catch(() => path)] as const);
 *   return new Map(await Promise.all(found));
 * }
 * ```
 */
export function listWrittenFiles({ commands, files }: CommandTemplate): string[] {
  const run = commands.flatMap((command) => [...startedBy(command), ...command.sources.flat()]);
  return run.length === 0 ? [] : [...run, ...files.map(({ path }) => path), ...commands.flatMap(namedBy)];
}

function startedBy({ argv, cwd, scripts }: TemplateCommand): string[] {
  const [program = ""] = argv;
  return [...(program.includes("/") ? [resolve(cwd, program)] : []), ...scripts];
}

/** Excludes files that the command runs. */
function namedBy(command: TemplateCommand): string[] {
  const { name, argv, cwd, sources } = command;
  const program = baseName(name);
  if (KEEPS.test(program) || isReadOnlyCommand(command)) return [];
  const words = argv
    .slice(1)
    .flatMap((word) => [word, word.slice(word.indexOf("=") + 1)])
    .filter((word) => /^[^-]/.test(word));
  const into = words.at(argv.some((word) => /^-(?:\w*|-)t/.test(word)) ? 0 : -1);
  const named = COPY_PROGRAMS.test(program)
    ? [`${into}`, ...words.map((word) => `${into}/${baseName(word)}`)]
    : words;
  const executed = new Set([...startedBy(command), ...sources.flat()].map((path) => resolve(path)));
  return named.map((word) => resolve(cwd, word)).filter((path) => !executed.has(path));
}

function isFilling({ name, argv }: TemplateCommand): boolean {
  const program = baseName(name);
  return COPY_PROGRAMS.test(program) || fillsFolder(program, argv);
}
