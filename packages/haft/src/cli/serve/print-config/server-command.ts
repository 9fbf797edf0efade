import { getExportedEnvironment } from "@haft/config/internal/settings";
import { realpathSync } from "node:fs";
import { toOptionArguments } from "../../location/to-session-arguments.ts";

export interface ServerCommand {
  command: string;
  /** Starts with the file of the `haft` command. */
  args: readonly string[];
  /** Clients pass on few variables. */
  env: Readonly<Record<string, string>>;
}

/** @param names the options to pass on */
export function serverCommand(
  values: Readonly<Record<string, string | boolean | readonly string[] | undefined>>,
  names: readonly string[],
): ServerCommand {
  return {
    command: process.execPath,
    args: [
      // A checkout runs from sources.
      ...process.execArgv.filter((word) => word.startsWith("--conditions=")),
      realpathSync(process.argv[1]!),
      "serve",
      ...toOptionArguments(values, names),
    ],
    env: getExportedEnvironment(),
  };
}

/** npm deletes the folder of `npx`. */
export function isTemporaryInstall({ args }: ServerCommand): boolean {
  return args.some((word) => /[\\/]_npx[\\/]/.test(word));
}
