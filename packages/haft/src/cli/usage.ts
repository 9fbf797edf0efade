import { didYouMean, nearestNames } from "@haft/core/internal";
import { parseArgs, type ParseArgsConfig } from "node:util";

/** The command line was wrong: exit code 2, with a message and no stack. */
export class UsageError extends Error {}

/** A command of `haft`. */
export interface Command {
  /** The whole text of `haft NAME --help`. */
  help: string;
  /** Runs it with the words behind its name. Resolves to the exit code. */
  run(args: string[], name: string): Promise<number>;
}

/** @param run Resolves to the exit code. */
export function defineCommand<const O extends Options>(
  help: string,
  options: O,
  run: (values: Parsed<O>["values"], positionals: string[]) => Promise<number>,
): Command {
  return {
    help,
    run: async (args, name) => {
      const { values, positionals } = parse(args, options, name);
      return run(values, positionals);
    },
  };
}

/** What a command line with these options was read as. */
type Parsed<O extends Options> = ReturnType<typeof parse<O>>;

/** @param names of the commands there are */
export function noSuchCommand(name: string, names: readonly string[]): UsageError {
  const hint = didYouMean(nearestNames(name, names, 1));
  return new UsageError(`There is no command "${name}".${hint}\nSee haft --help.`);
}

/** For a command of several actions, when none of them was named. */
export function noSuchAction(
  command: string,
  name: string | undefined,
  actions: readonly string[],
): UsageError {
  const hint = name === undefined ? "" : didYouMean(nearestNames(name, actions, 1));
  const what = name === undefined ? "What about it?" : `haft ${command} cannot "${name}".`;
  return new UsageError(`${what}${hint} There are ${actions.join(", ")}.\nSee haft ${command} --help.`);
}

/** One of the words that an option may have. @throws UsageError */
export function oneOf<const Word extends string>(option: string, text: string, words: readonly Word[]): Word {
  const word = words.find((known) => known === text);
  if (word !== undefined) return word;
  throw new UsageError(`${option} is ${words.slice(0, -1).join(", ")} or ${words.at(-1)}; got "${text}".`);
}

type Options = NonNullable<ParseArgsConfig["options"]>;

/** `parseArgs` whose errors name what was wrong and what was probably meant. */
function parse<const O extends Options>(args: string[], options: O, command: string) {
  try {
    const { tokens, ...parsed } = parseArgs({
      args,
      options,
      allowPositionals: true,
      strict: true,
      tokens: true,
    });
    refuseRepeated(tokens, options, command);
    return parsed;
  } catch (thrown) {
    if (thrown instanceof UsageError) throw thrown;
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    const unknown = /Unknown option '(--?[^']+)'/.exec(message)?.[1];
    const names = Object.keys(options).map((name) => `--${name}`);
    const what =
      unknown === undefined
        ? `${message.split(/\. (?=[A-Z])/)[0]}.`
        : `There is no option ${unknown}.${didYouMean(nearestNames(unknown, names))}`;
    throw new UsageError(`${what}\nSee haft ${command} --help.`);
  }
}

/** The last one would quietly win. */
function refuseRepeated(
  tokens: readonly { kind: string; name?: string; value?: string | boolean | undefined }[],
  options: Options,
  command: string,
): void {
  const seen = new Map<string, string>();
  for (const { kind, name = "", value } of tokens) {
    const option = options[name];
    if (kind !== "option" || option?.type !== "string" || option.multiple === true) continue;
    const before = seen.get(name);
    if (before !== undefined)
      throw new UsageError(
        `--${name} has one value, and is given twice: "${before}" and "${String(value)}".\nSee haft ${command} --help.`,
      );
    seen.set(name, String(value));
  }
}
