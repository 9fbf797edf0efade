import { nearestNames } from "@haft/core";
import { parseArgs, type ParseArgsConfig } from "node:util";

/** The command line was wrong: exit code 2, with a message and no stack. */
export class UsageError extends Error {}

/** A command of `haft`. */
export interface Command {
  name: string;
  /** One line for the list of commands. */
  summary: string;
  /** The whole text of `haft NAME --help`. */
  help: string;
  /** Resolves to the exit code. */
  run(args: string[]): Promise<number>;
}

type Options = NonNullable<ParseArgsConfig["options"]>;

/** `parseArgs` whose errors name what was wrong and what was probably meant. */
export function parse<const O extends Options>(args: string[], options: O, command: string) {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    const unknown = /Unknown option '(--?[^']+)'/.exec(message)?.[1];
    const near =
      unknown === undefined
        ? []
        : nearestNames(
            unknown,
            Object.keys(options).map((name) => `--${name}`),
          );
    const first =
      unknown === undefined ? `${message.split(/\. (?=[A-Z])/)[0]}.` : `There is no option ${unknown}.`;
    const hint = near.length > 0 ? ` Did you mean ${near.join(" or ")}?` : "";
    throw new UsageError(`${first}${hint}\nSee haft ${command} --help.`);
  }
}
