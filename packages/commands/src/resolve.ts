import type { CommandOutline, OutlinedCommand } from "./outline.ts";
import { launcherOf } from "./programs/index.ts";
import { filesOf } from "./simple-command.ts";
import { baseName, isInSystemFolder } from "./words/names.ts";

/** Names that stand for many programs: which one it is, the name it is started by says. */
const MANY_IN_ONE = /^(?:busybox|toybox|coreutils|rustup|.*-shim|volta|mise|asdf)$/;

/** Whether this program is another one under each of its names. */
export function isManyInOne(path: string): boolean {
  return MANY_IN_ONE.test(baseName(path));
}

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
    const argv = [path, ...command.argv.slice(1)];
    const launcher = isManyInOne(path) ? undefined : launcherOf(argv);
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
