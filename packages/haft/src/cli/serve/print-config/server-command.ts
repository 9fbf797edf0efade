import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { optionWords } from "../../place/opened-with.ts";

/** What a client starts: the same as this command line, from any folder and from any environment. */
export interface ServerCommand {
  /** This Node. */
  command: string;
  /** The file of the `haft` command first. */
  args: readonly string[];
  /** Variables of this shell that say where Haft looks; clients pass few of them on. */
  env: Readonly<Record<string, string>>;
}

const VARIABLES = [
  "HAFT_CONFIG",
  "HAFT_POLICY",
  "HAFT_ADMIN_POLICY",
  "HAFT_STATE_DIR",
  "XDG_CONFIG_HOME",
  "XDG_STATE_HOME",
  "XDG_CACHE_HOME",
];

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
      ...optionWords(values, names),
    ],
    env: Object.fromEntries(
      VARIABLES.flatMap((name) => {
        const value = process.env[name] ?? "";
        if (value === "") return [];
        // Any other has to be absolute where it stands, and is refused where it is not.
        return [[name, name === "HAFT_STATE_DIR" ? resolve(value) : value]];
      }),
    ),
  };
}

/** Whether the command was started by `npx` without being installed: that folder goes. */
export function isFleeting({ args }: ServerCommand): boolean {
  return args.some((word) => /[\\/]_npx[\\/]/.test(word));
}
