import { type CommandTemplate, listWrittenFiles, findWrittenProgram } from "@haft/commands";
import { posix } from "node:path";
import type { CommandPlanContext } from "../find-programs.ts";

const MOST_FILES = 2_000;

/** Rules about commands do not cover a program that the line writes. The result completes a sentence. */
export async function explainWrittenProgram(
  { processes, where }: CommandPlanContext,
  outline: CommandTemplate,
): Promise<string | undefined> {
  const { commands, files: redirected, unclear } = outline;
  if (unclear !== undefined || commands.length + redirected.length < 2) return undefined;
  const paths = [...new Set(listWrittenFiles(outline))];
  if (paths.length > MOST_FILES) return "it runs files, and names more of them than are looked at";
  const names = [...new Set(paths.flatMap((path) => [path, posix.dirname(path)]))];
  const { files } =
    names.length === 0
      ? { files: [] }
      : await processes.identify(
          names.map((name) => ({ name })),
          where,
        );
  const real = new Map(names.map((name, at) => [name, files[at]?.realPath]));
  return findWrittenProgram(
    outline,
    (path) =>
      real.get(path) ??
      posix.join(real.get(posix.dirname(path)) ?? posix.dirname(path), posix.basename(path)),
    (path) => real.get(path) !== undefined,
  );
}
