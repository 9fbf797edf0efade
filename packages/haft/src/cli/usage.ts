import { didYouMean, nearestNames } from "@haft/core/internal";
import { parseArgs, type ParseArgsOptionDescriptor } from "node:util";
import { rememberPlace } from "./place/next-command.ts";

/** The command line was wrong: exit code 2, with a message and no stack. */
export class UsageError extends Error {}

/** What a word of a command line names, for completions. */
export type Names = "file" | "folder" | "tool";

/** One option: what it is for stands in the help of its command, in a line that begins with its name. */
export interface Option extends Omit<ParseArgsOptionDescriptor, "default"> {
  /** The values there are; any other is refused. */
  words?: readonly string[];
  /** What its value names. */
  names?: Names;
  /** Its value may be left out, which reads as an empty one: what follows is the value only when it looks like one. */
  optional?: RegExp;
}

/** By their names without the dashes. */
export type Options = Readonly<Record<string, Option>>;

/** A command of `haft`, or one of its actions: what may stand behind its name. */
export interface Action {
  /** The options it goes by; others are refused, since they would be left out of account. Default: all of the command. */
  options?: readonly string[];
  /** What its operands name, where that is something to complete. */
  names?: Names;
  /** The words its first operand may be. */
  words?: readonly string[];
  /** Behind `--` stands a program with its arguments, and this is an example of such a line. */
  program?: string;
}

/** What there is beside its options. */
export interface CommandShape extends Pick<Action, "names" | "words"> {
  /** What its first word may be. */
  actions?: Readonly<Record<string, Action>>;
  /** The action without such a word; without one there has to be a word. */
  byDefault?: string;
}

/** A command of `haft`. */
export interface Command extends CommandShape {
  /** The whole text of `haft NAME --help`. */
  help: string;
  options: Options;
  /** Runs it with the words behind its name. Resolves to the exit code. */
  run(args: string[], name: string): Promise<number>;
}

/**
 * @param run Resolves to the exit code. Gets all words that are no options, that of the action first.
 * @param shape where the command has actions, or operands that can be completed
 */
export function defineCommand<const O extends Options>(
  help: string,
  options: O,
  run: (values: Values<O>, positionals: string[]) => Promise<number>,
  shape: CommandShape = {},
): Command {
  return {
    help,
    options,
    ...shape,
    run: async (args, name) => {
      const { values, positionals, before } = parse(args, options, name);
      if (shape.actions !== undefined) {
        checkAction(name, shape, Object.keys(values), positionals[0]);
        checkProgram(args, before, shape.actions[positionals[0] ?? ""]?.program);
      }
      rememberPlace(values);
      // Which values there can be was checked by the same table.
      return run(values as Values<O>, positionals);
    },
  };
}

/** What a command line with these options was read as. */
export type Values<O extends Options> = {
  -readonly [Name in keyof O]?: O[Name] extends { multiple: true } ? Value<O[Name]>[] : Value<O[Name]>;
};

type Value<O extends Option> = O extends { type: "boolean" }
  ? boolean
  : O extends { words: readonly (infer Word extends string)[] }
    ? Word
    : string;

/** @param names of the commands there are */
export function noSuchCommand(name: string, names: readonly string[]): UsageError {
  // Most options belong to a command, and stand behind it.
  const isOption = name.startsWith("-");
  const hint = didYouMean(nearestNames(name, isOption ? ["--help", "--version", "--plugin"] : names, 1));
  const what = isOption ? `Without a command there is no option ${name}.` : `There is no command "${name}".`;
  return new UsageError(`${what}${hint}\nSee haft --help.`);
}

/** For a command of several actions, when none of them was named. */
export function noSuchAction(
  command: string,
  name: string | undefined,
  actions: readonly string[],
): UsageError {
  const hint = name === undefined ? "" : didYouMean(nearestNames(name, actions, 1));
  const what = name === undefined ? "What about it?" : `haft ${command} cannot "${name}".`;
  const known = actions.length === 0 ? "It has no actions." : `There are ${actions.join(", ")}.`;
  return new UsageError(`${what}${hint} ${known}\nSee haft ${command} --help.`);
}

/** One of the words that an option may have. @throws UsageError */
export function oneOf<const Word extends string>(option: string, text: string, words: readonly Word[]): Word {
  const word = words.find((known) => known === text);
  if (word !== undefined) return word;
  const all = words.length === 1 ? words[0] : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
  throw new UsageError(`${option} is ${all}; got "${text}".`);
}

function checkAction(
  command: string,
  { actions = {}, byDefault }: CommandShape,
  given: readonly string[],
  word = byDefault,
): void {
  const names = Object.keys(actions);
  if (word === undefined || !Object.hasOwn(actions, word)) throw noSuchAction(command, word, names);
  const takes = actions[word]?.options;
  const foreign = given.find((option) => takes?.includes(option) === false && option !== "help");
  if (foreign === undefined) return;
  const others = names.filter((name) => actions[name]?.options?.includes(foreign) !== false);
  const where = others.length === 0 ? "" : ` It goes with ${others.join(" and ")}.`;
  throw new UsageError(
    `haft ${command} ${word} takes no --${foreign}.${where}\nSee haft help ${command} ${word}.`,
  );
}

/** @param before how many words that are no options stand before `--` */
function checkProgram(args: readonly string[], before: number, example: string | undefined): void {
  const end = args.indexOf("--");
  if (example === undefined || end < 0) return;
  const rest = args.slice(end + 1);
  if (before < 2)
    throw new UsageError(
      `A name stands before --, and the program behind it, such as ${example}; there is no name.`,
    );
  if (rest.length === 0 || rest[0] === "")
    throw new UsageError(`Behind -- stands the program that is started, such as ${example}; there is none.`);
}

/** `parseArgs` whose errors name what was wrong and what was probably meant. */
function parse(args: string[], options: Options, command: string) {
  try {
    const { tokens, ...parsed } = parseArgs({
      args: withLeftOut(args, options),
      options: { ...options },
      allowPositionals: true,
      strict: true,
      tokens: true,
    });
    refuseRepeated(tokens, options, command);
    for (const [name, given] of Object.entries(parsed.values)) checkWords(name, given, options[name]?.words);
    const end = tokens.findIndex(({ kind }) => kind === "option-terminator");
    const before = tokens.slice(0, end < 0 ? undefined : end).filter(({ kind }) => kind === "positional");
    return { ...parsed, before: before.length };
  } catch (thrown) {
    if (thrown instanceof UsageError) throw thrown;
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    const unknown = /Unknown option '(--?[^']+)'/.exec(message)?.[1];
    const dashed = /^Option '.*' argument is ambiguous[^]*use '(--[\w-]+)=/.exec(message)?.[1];
    const names = Object.keys(options).map((name) => `--${name}`);
    const what =
      dashed !== undefined
        ? `The value behind ${dashed} begins with a dash, as options do. If it is a value, write ${dashed}=VALUE.`
        : unknown === undefined
          ? `${message.split(/\. (?=[A-Z])/)[0]}.`
          : `There is no option ${unknown}.${didYouMean(nearestNames(unknown, names))}`;
    throw new UsageError(`${what}\nSee haft ${command} --help.`);
  }
}

/** The same words, with an empty value for each option whose value is left out. */
function withLeftOut(args: readonly string[], options: Options): string[] {
  const end = args.indexOf("--");
  return args.map((word, index) => {
    const optional = word.startsWith("--") ? options[word.slice(2)]?.optional : undefined;
    if (optional === undefined || (end >= 0 && index > end)) return word;
    return optional.test(args[index + 1] ?? "") ? word : `${word}=`;
  });
}

function checkWords(name: string, given: unknown, words: readonly string[] | undefined): void {
  if (words === undefined) return;
  for (const value of [given].flat()) oneOf(`--${name}`, String(value), words);
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
