import { isInSystemFolder } from "./names.ts";
import type { CommandOutline, OutlinedCommand } from "./outline.ts";
import { carrierOf } from "./programs/index.ts";
import { locateFile } from "./simple-command.ts";

/** Names that stand for many programs: which one it is, the name it is started by says. */
const MANY_IN_ONE = /^(?:busybox|toybox|coreutils|rustup|.*-shim|volta|mise|asdf)$/;

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
  let { unclear } = outline;
  const commands = outline.commands.map((command): OutlinedCommand => {
    if (command.builtin) return command;
    const paths = command.programs.map(realPathOf);
    const wrapper = command.wrappers.findIndex((_, at) => !isInSystemFolder(paths[at] ?? ""));
    if (wrapper >= 0)
      unclear ??= `${command.wrappers[wrapper]?.[0]} is not the system's program of this name`;
    const path = paths.at(-1);
    if (path === undefined) return command;
    const carrier = MANY_IN_ONE.test(path.slice(path.lastIndexOf("/") + 1))
      ? undefined
      : carrierOf([path, ...command.argv.slice(1)]);
    if (command.carrier === undefined) unclear ??= carrier?.unclear;
    if (carrier === undefined) return { ...command, path };
    const scripts = (carrier.scripts ?? []).map((script) => locateFile(script, command.cwd));
    return {
      ...command,
      path,
      harmless: false,
      carrier: command.carrier ?? carrier.reason,
      scripts: command.carrier === undefined ? scripts : command.scripts,
    };
  });
  return { ...outline, commands, ...(unclear !== undefined && { unclear }) };
}
