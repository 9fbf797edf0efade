import { getExportedEnvironment } from "@haft/config/internal/settings";
import { realpathSync } from "node:fs";
import { toOptionArguments } from "../../location/to-session-arguments.ts";

/** What a client starts: the same as this command line, from any folder and from any environment. */
export interface ServerCommand {
  /** This Node. */
  command: string;
  /** The file of the `haft` command first. */
  args: readonly string[];
  /** Variables of this shell that say where Haft looks; clients pass few of them on. */
  env: Readonly<Record<string, string>>;
}

/**
 * @param values of `haft serve`, as they were read
 * @param names of the options that are passed on
 */
export function serverCommand(
  values: Readonly<Record<string, string | boolean | readonly string[] | undefined>>,
  names: readonly string[],
): ServerCommand {
  return {
    command: process.execPath,
    args: [
      // From a checkout, the sources.
      ...process.execArgv.filter((word) => word.startsWith("--conditions=")),
      realpathSync(process.argv[1]!),
      "serve",
      ...toOptionArguments(values, names),
    ],
    env: getExportedEnvironment(),
  };
}

/** Whether the command was started by `npx` without being installed: that folder goes. */
export function isTemporaryInstall({ args }: ServerCommand): boolean {
  return args.some((word) => /[\\/]_npx[\\/]/.test(word));
}
