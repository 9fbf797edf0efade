import type { CommandOutline, OutlinedCommand } from "./outline.ts";
import { isForAnyArguments } from "./programs/any-arguments.ts";
import { launcherOf } from "./programs/index.ts";
import { filesOf, ownWords } from "./read/simple-command.ts";
import { isManyInOne } from "./words/many-in-one.ts";
import { isInSystemFolder } from "./words/names.ts";

/**
 * The outline with the programs that were found: what runs under a name is known only now. `realPathOf` answers the
 * real path of an entry of `OutlinedCommand.programs`, links resolved.
 *
 * A link can hide an interpreter, and a wrapper outside of the system's folders can do anything.
 */
export function resolveOutline(
  outline: CommandOutline,
  realPathOf: (program: string) => string | undefined,
): CommandOutline {
  let unclear: string | undefined;
  const commands = outline.commands.map((command): OutlinedCommand => {
    if (command.builtin) return command;
    const paths = command.programs.map(realPathOf);
    const wrapper = command.wrappers.findIndex((_, at) => !isInSystemFolder(paths[at] ?? ""));
    if (wrapper >= 0)
      unclear ??= `${command.wrappers[wrapper]?.[0]} is not the system's program of this name`;
    const path = paths.at(-1);
    if (path === undefined) return command;
    if (command.open === true && !isForAnyArguments(path))
      unclear ??= `${command.name} is not the system's program of this name, and gets words that are not known before it runs`;
    if (
      !isInSystemFolder(path) &&
      [...command.fills.values()].flat().some((piece) => typeof piece === "object")
    )
      unclear ??= `${command.name} is not the system's program of this name`;
    const argv = [path, ...ownWords(command.argv).slice(1)];
    const launcher = isManyInOne(path) ? undefined : launcherOf(argv, outline.platform);
    if (command.carrier === undefined) unclear ??= launcher?.unclear;
    if (launcher === undefined) return { ...command, path };
    return {
      ...command,
      path,
      harmless: false,
      carrier: command.carrier ?? launcher.reason,
      readsMore: true,
      ...(command.carrier === undefined ? filesOf(argv, command.cwd, launcher) : {}),
    };
  });
  if (unclear === undefined) return { ...outline, commands };
  const { tied: _, ...rest } = outline;
  return { ...rest, commands, unclear: outline.unclear ?? unclear };
}
