import type { CommandTemplate, TemplateCommand } from "./command-template.ts";
import { acceptsAnyArguments } from "./programs/any-arguments.ts";
import { findLauncher } from "./programs/index.ts";
import { listCommandFiles, dropExecWords } from "./read/simple-command.ts";
import { isMultiCallBinary } from "./words/multi-call-binaries.ts";
import { baseName, isInSystemFolder } from "./words/names.ts";
import { SHELLS } from "./words/shells.ts";

/**
 * Returns the template with the resolved programs. The result can be unclear even if the template was clear: a link can lead to an
 * interpreter, and a wrapper outside of system folders can do anything.
 *
 * @param realPathOf Returns the real path of an entry of `TemplateCommand.programs`.
 * @example
 * ```ts run
 * import { analyzeCommand, resolveTemplate } from "@haft/commands";
 *
 * const template = await analyzeCommand("report daily", { cwd: "/work" });
 * const { commands } = resolveTemplate(template, () => "/usr/bin/python3.13");
 * commands[0]?.path; // => "/usr/bin/python3.13"
 * commands[0]?.carrier; // => "python runs any code it is given"
 * ```
 */
export function resolveTemplate(
  outline: CommandTemplate,
  realPathOf: (program: string) => string | undefined,
): CommandTemplate {
  let unclear: string | undefined;
  const commands = outline.commands.map((command): TemplateCommand => {
    if (command.builtin) return command;
    const paths = command.programs.map(realPathOf);
    const wrapper = command.wrappers.findIndex((_, at) => !isInSystemFolder(paths[at] ?? ""));
    if (wrapper >= 0)
      unclear ??= `${command.wrappers[wrapper]?.[0]} is not the system's program of this name`;
    const path = paths.at(-1);
    if (path === undefined) return command;
    if (command.nested === true && !(isInSystemFolder(path) && SHELLS.has(baseName(path))))
      unclear ??= `${command.name} is not the system's shell of this name`;
    if (command.open === true && !acceptsAnyArguments(path))
      unclear ??= `${command.name} is not the system's program of this name, and gets words that are not known before it runs`;
    if (
      !isInSystemFolder(path) &&
      [...command.fills.values()].flat().some((piece) => typeof piece === "object")
    )
      unclear ??= `${command.name} is not the system's program of this name`;
    const argv = [path, ...dropExecWords(command.argv).slice(1)];
    const launcher = isMultiCallBinary(path) ? undefined : findLauncher(argv, outline.platform);
    if (command.carrier === undefined) unclear ??= launcher?.unclear;
    if (launcher === undefined) return { ...command, path };
    return {
      ...command,
      path,
      harmless: false,
      carrier: command.carrier ?? launcher.reason,
      readsMore: true,
      ...(command.carrier === undefined ? listCommandFiles(argv, command.cwd, launcher) : {}),
    };
  });
  if (unclear === undefined) return { ...outline, commands };
  const { tied: _, ...rest } = outline;
  return { ...rest, commands, unclear: outline.unclear ?? unclear };
}
