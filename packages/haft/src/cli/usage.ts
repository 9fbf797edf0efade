import { didYouMean, nearestNames } from "@haft/utils";
import { parseArgs, type ParseArgsOptionDescriptor } from "node:util";
import { rememberLocation } from "./location/next-command.ts";
import { installUncaughtHandler } from "./uncaught/install-uncaught-handler.ts";

/** Exit code 2, without a stack. */
export class UsageError extends Error {}

export type Names = "file" | "folder" | "tool";

/** Its help is the help text's line that starts with its name. */
export interface Option extends Omit<ParseArgsOptionDescriptor, "default"> {
  words?: readonly string[];
  names?: Names;
  /** Allows an empty value: only a matching next word is the value. */
  optional?: RegExp;
}

/** Keys without dashes. */
export type CommandOptions = Readonly<Record<string, Option>>;

export const FLAG = { type: "boolean" } as const;
export const TEXT = { type: "string" } as const;
export const TEXTS = { type: "string", multiple: true } as const;
export const FILE = { type: "string", names: "file" } as const;
export const FOLDER = { type: "string", names: "folder" } as const;

export interface Action<O extends CommandOptions = CommandOptions> {
  options: O;
  names?: Names;
  /** Allowed first operands. */
  words?: readonly string[];
  program?: string;
  /** Default: none. */
  most?: number;
  /** The error for a missing first operand; without it, the operand is optional. */
  needs?: string;
  /** The end of a sentence; agents may not run such an action. */
  decides?: string;
  /** @param operands without the action @returns the exit code */
  run(values: Values<O>, operands: string[]): Promise<number>;
}

export function action<const O extends CommandOptions>(shape: Action<O>): Action {
  return shape;
}

export interface Command {
  help: string;
  options: CommandOptions;
  actions: Readonly<Record<string, Action>> | undefined;
  /** Runs without a first word, or as the only action. */
  byDefault: Action | undefined;
  /** @returns the exit code */
  run(args: string[], name: string): Promise<number>;
}

const HELP = { help: { type: "boolean", short: "h" } } as const;

export function defineCommand(
  help: string,
  shape: Action | Readonly<Record<string, Action>>,
  byDefault?: string,
): Command {
  const only = isAction(shape) ? shape : undefined;
  const actions = isAction(shape) ? undefined : shape;
  const all = Object.values(actions ?? { only: shape as Action });
  const options = Object.assign({ ...HELP }, ...all.map((each) => each.options)) as CommandOptions;
  const command: Command = {
    help,
    options,
    actions,
    byDefault: only ?? actions?.[byDefault ?? ""],
    async run(args, name) {
      const { values, operands, tokens } = parse(args, options, name);
      const word = only === undefined ? (operands.shift() ?? byDefault) : undefined;
      const line = word === undefined ? name : `${name} ${word}`;
      const chosen = only ?? findAction(command, name, word);
      checkOptions(tokens, { chosen, line, command, word });
      checkOperands(operands, chosen, line);
      checkProgram(args, tokens, chosen.program);
      rememberLocation(values);
      if (chosen.decides !== undefined) {
        const { refuseInSession } = await import("./refuse-in-session.ts");
        refuseInSession(chosen.decides, [values["state"] as string | undefined]);
      }
      installUncaughtHandler();
      return chosen.run(values as Values<CommandOptions>, operands);
    },
  };
  return command;
}

function isAction(shape: Action | Readonly<Record<string, Action>>): shape is Action {
  return typeof shape["run"] === "function";
}

export type Values<O extends CommandOptions> = {
  -readonly [Name in keyof O]?: O[Name] extends { multiple: true } ? Value<O[Name]>[] : Value<O[Name]>;
};

type Value<O extends Option> = O extends { type: "boolean" }
  ? boolean
  : O extends { words: readonly (infer Word extends string)[] }
    ? Word
    : string;

const TOOL_EXAMPLES: Readonly<Record<string, string>> = {
  read: '{"path":"README.md"}',
  write: '{"path":"notes.txt","content":"…"}',
  edit: '{"path":"notes.txt","oldText":"…","newText":"…"}',
  apply_patch: '{"input":"*** Begin Patch…"}',
  ls: '{"path":"."}',
  find: '{"pattern":"*.md"}',
  grep: '{"pattern":"TODO"}',
  exec: '{"command":"npm test"}',
  bash: '{"command":"npm test"}',
  process: '{"action":"list"}',
};
/** Commands that people expect, with the command that does it. */
const EXPECTED: Readonly<Record<string, string>> = {
  call: "haft tools call TOOL JSON",
  init: "haft config init",
  patch: "haft tools patch FILE",
  trust: "haft config trust",
};

export function noSuchCommand(name: string, names: readonly string[]): UsageError {
  const example = Object.hasOwn(TOOL_EXAMPLES, name) ? TOOL_EXAMPLES[name] : undefined;
  const meant =
    example === undefined
      ? Object.hasOwn(EXPECTED, name) && EXPECTED[name]
      : `haft tools call ${name} '${example}'`;
  if (meant) return new UsageError(`There is no command "${name}". Use ${meant}.\nSee haft --help.`);
  // Most options follow their command.
  const isOption = name.startsWith("-");
  const hint = didYouMean(
    nearestNames(name, isOption ? ["--help", "--version", "--plugin", "--completions"] : names, 1),
  );
  const what = isOption ? `haft has no option ${name} without a command.` : `There is no command "${name}".`;
  return new UsageError(`${what}${hint}\nSee haft --help.`);
}

/** @throws UsageError for a text that cannot be a JSON object */
export function requireObjectText(command: string, text: string): void {
  if (text.trimStart().startsWith("{")) return;
  const example = `${command} read '${TOOL_EXAMPLES["read"]}'`;
  throw new UsageError(`The arguments of a tool are one JSON object, as in ${example}. Got: ${text}`);
}

/** @throws UsageError without a known or default action */
export function findAction({ actions = {} }: Command, command: string, word: string | undefined): Action {
  if (word !== undefined && Object.hasOwn(actions, word)) return actions[word]!;
  const names = Object.keys(actions);
  const hint = word === undefined ? "" : didYouMean(nearestNames(word, names, 1));
  const what =
    word === undefined ? `haft ${command} needs an action.` : `haft ${command} has no action "${word}".`;
  const known = names.length === 0 ? "It has no actions." : `Actions: ${names.join(", ")}.`;
  throw new UsageError(`${what}${hint} ${known}\nSee haft ${command} --help.`);
}

export function parseChoice<const Word extends string>(
  option: string,
  text: string,
  words: readonly Word[],
): Word {
  const word = words.find((known) => known === text);
  if (word !== undefined) return word;
  const all = words.length === 1 ? words[0] : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
  throw new UsageError(`${option} is ${all}; got "${text}".`);
}

export function parseInteger(option: string, text: string, least = 0): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least) return value;
  throw new UsageError(`${option} is a ${least > 0 ? "positive " : ""}whole number; got "${text}".`);
}

type Token = { kind: string; name?: string; value?: string | boolean | undefined };

interface Line {
  chosen: Action;
  line: string;
  command: Command;
  word: string | undefined;
}

function checkOptions(tokens: readonly Token[], { chosen, line, command, word }: Line): void {
  const seen = new Map<string, string>();
  for (const { kind, name = "", value } of tokens) {
    if (kind !== "option" || name === "help") continue;
    const option = chosen.options[name];
    if (option === undefined) {
      const others = Object.entries(command.actions ?? {}).filter(([, { options }]) => name in options);
      throw new UsageError(
        `haft ${line} has no option --${name}. It belongs to ${others.map(([other]) => other).join(" and ")}.\nSee haft help ${line}.`,
      );
    }
    if (option.words !== undefined) parseChoice(`--${name}`, String(value), option.words);
    if (option.type !== "string" || option.multiple === true) continue;
    const before = seen.get(name);
    // The last value would win.
    if (before !== undefined)
      throw new UsageError(
        `--${name} takes one value, but was given twice: "${before}" and "${String(value)}".\nSee haft ${word === undefined ? line : line.slice(0, -word.length - 1)} --help.`,
      );
    seen.set(name, String(value));
  }
}

function checkOperands(
  operands: readonly string[],
  { most = 0, needs, program }: Action,
  line: string,
): void {
  const surplus = operands[most];
  if (operands.length === 0 && needs !== undefined) throw new UsageError(needs);
  if (surplus === undefined || program !== undefined) return;
  const many =
    most === 0
      ? `no operands; got "${surplus}"`
      : `${most === 1 ? "one operand" : `${most} operands`}; got "${surplus}" as well`;
  throw new UsageError(`haft ${line} takes ${many}.\nSee haft help ${line}.`);
}

function checkProgram(args: readonly string[], tokens: readonly Token[], example: string | undefined): void {
  const end = tokens.findIndex(({ kind }) => kind === "option-terminator");
  if (example === undefined || end < 0) return;
  if (tokens.slice(0, end).filter(({ kind }) => kind === "positional").length < 2)
    throw new UsageError(`The name before -- is missing, such as in: ${example}.`);
  if ((args[args.indexOf("--") + 1] ?? "") === "")
    throw new UsageError(`The program after -- is missing, such as in: ${example}.`);
}

/** Errors name the wrong word and the nearest option. */
function parse(args: string[], options: CommandOptions, command: string) {
  try {
    const { positionals, ...parsed } = parseArgs({
      args: withLeftOut(args, options),
      options: { ...options },
      allowPositionals: true,
      strict: true,
      tokens: true,
    });
    return { ...parsed, operands: positionals };
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    const unknown = /Unknown option '(--?[^']+)'/.exec(message)?.[1];
    const dashed = /^Option '.*' argument is ambiguous[^]*use '(--[\w-]+)=/.exec(message)?.[1];
    const names = Object.keys(options).map((name) => `--${name}`);
    const what =
      dashed !== undefined
        ? `The value of ${dashed} begins with a dash, like an option. If it is a value, write ${dashed}=VALUE.`
        : unknown === undefined
          ? `${message.split(/\. (?=[A-Z])/)[0]}.`
          : `There is no option ${unknown}.${didYouMean(nearestNames(unknown, names))}`;
    throw new UsageError(`${what}\nSee haft ${command} --help.`);
  }
}

/** Adds empty values to options without values. */
function withLeftOut(args: readonly string[], options: CommandOptions): string[] {
  const end = args.indexOf("--");
  return args.map((word, index) => {
    const optional = word.startsWith("--") ? options[word.slice(2)]?.optional : undefined;
    if (optional === undefined || (end >= 0 && index > end)) return word;
    return optional.test(args[index + 1] ?? "") ? word : `${word}=`;
  });
}
