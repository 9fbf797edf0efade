import { getExportedEnvironment } from "@haft/config/internal/settings";
import { realpathSync } from "node:fs";
import { toOptionArguments } from "../../location/to-session-arguments.ts";

/** Describes the command of a client. It works in any folder and any environment. */
export interface ServerCommand {
  /** Contains the path of this Node. */
  command: string;
  /** Starts with the file of the `haft` command. */
  args: readonly string[];
  /** Contains variables of this shell that select folders and files of Haft, because clients pass on few variables. */
  env: Readonly<Record<string, string>>;
}

/**
 * @param values the parsed options of `haft serve`
 * @param names the options that are passed on
 */
export function serverCommand(
  values: Readonly<Record<string, string | boolean | readonly string[] | undefined>>,
  names: readonly string[],
): ServerCommand {
  return {
    command: process.execPath,
    args: [
      // A checkout runs from its sources.
      ...process.execArgv.filter((word) => word.startsWith("--conditions=")),
      realpathSync(process.argv[1]!),
      "serve",
      ...toOptionArguments(values, names),
    ],
    env: getExportedEnvironment(),
  };
}

/** Checks for `npx` without an installation: npm deletes that folder. */
export function isTemporaryInstall({ args }: ServerCommand): boolean {
  return args.some((word) => /[\\/]_npx[\\/]/.test(word));
}
