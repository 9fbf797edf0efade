import type { PlannedCommand } from "@haft/core";
import { compileWildcard, escapeWildcard, matchesWildcard, type Wildcard } from "@haft/utils";
import { truncateSentence } from "../text/sentence.ts";
import { matchesOptions } from "./command-options.ts";
import { escapeWord, findShellSyntax } from "./command-syntax.ts";
import type { PatternProblem } from "./pattern-problem.ts";
import { skipGlobalOptions } from "./program-options.ts";
import { programBaseName, STARTER_PROGRAMS, findStartedWords } from "./started-words.ts";

/**
 * A pattern for one planned command, compared case-sensitively with the words joined by spaces. `*` also matches spaces. A pattern without
 * arguments matches any; `git *` also matches `git`. A first word with `/` is the real path of the program.
 */
export interface CommandPattern {
  readonly text: string;
  readonly program: Wildcard;
  readonly byPath: boolean;
  readonly base: Wildcard;
  readonly args?: Wildcard;
}

const maxLength = 2000;

export function compileCommandPattern(text: string): CommandPattern | PatternProblem {
  const shown = JSON.stringify(text);
  if (text.trim() === "")
    return { message: "A command pattern is missing: it would mean no command at all." };
  if (text.length > maxLength) return { message: `A command pattern has at most ${maxLength} characters.` };
  if (/^\s|(?<!\\)\s$/.test(text)) return { message: `${shown} begins or ends with a space.` };
  if (/\p{Cc}/u.test(text)) return { message: `${shown} has a control character; use * for any character.` };
  if (/(?<!\\)(?:\\\\)*\\$/.test(text)) return { message: `${shown} ends with a backslash.` };
  const space = endOfProgram(text);
  const first = text.slice(0, space);
  if (first.includes("/") && !/^[/*]/.test(first)) {
    return { message: `${shown}: a program with a / is compared with its real path, so begin with / or */.` };
  }
  return findShellSyntax(text, space) ?? readCommandPattern(text);
}

export function readCommandPattern(text: string): CommandPattern {
  const space = endOfProgram(text);
  const [first, rest] = [text.slice(0, space), text.slice(space + 1)];
  const program = compileWildcard(first);
  const byPath = first.includes("/");
  const base = byPath ? compileWildcard(programBaseName(first)) : program;
  if (space === text.length || rest === "*") return { text, program, byPath, base };
  return { text, program, byPath, base, args: compileWildcard(rest) };
}

function endOfProgram(text: string): number {
  return /^(?:[^\\ ]|\\.)*/.exec(text)![0].length;
}

/** For opening lists: matches only the program found by its name or path. */
export function permitsCommand(pattern: CommandPattern, command: PlannedCommand): boolean {
  const { name, path, builtin } = command;
  if (path === undefined && builtin !== true) return false;
  const program = pattern.byPath ? path : name.includes("/") ? undefined : name;
  if (program === undefined || !matchesWildcard(pattern.program, program)) return false;
  // Unknown words can be anything.
  if (command.open === true) return pattern.args === undefined;
  return pattern.args === undefined || matchesWildcard(pattern.args, wordsOf(command).exact);
}

/** For restricting lists: matches any path, wrapper and spelling of known options. */
export function restrictsCommand(pattern: CommandPattern, command: PlannedCommand): "yes" | "no" | "unclear" {
  const held = holdsItself(pattern, command);
  return held === "no" && mayStart(pattern, command) ? "unclear" : held;
}

function holdsItself(pattern: CommandPattern, command: PlannedCommand): "yes" | "no" | "unclear" {
  const { name, path, through } = command;
  for (const inner of innerCommands(command)) {
    const held = holdsItself(pattern, inner);
    if (held !== "no") return held;
  }
  const written = command.argv[0] ?? name;
  const called = pattern.byPath
    ? [path, name, written]
    : [name, programBaseName(name), path && programBaseName(path), programBaseName(written)];
  if (called.some((each) => each !== undefined && matchesWildcard(pattern.program, each))) {
    if (meetsArguments(pattern, command)) return "yes";
    if (command.open === true || mayFollowOptions(pattern, command)) return "unclear";
  }
  const wrapped = through.some((each) =>
    matchesWildcard(pattern.program, pattern.byPath ? each : programBaseName(each)),
  );
  if (wrapped) return pattern.args === undefined ? "yes" : "unclear";
  return "no";
}

function meetsArguments(pattern: CommandPattern, command: PlannedCommand): boolean {
  if (pattern.args === undefined) return true;
  const { plain, exact } = wordsOf(command);
  if (matchesWithoutRest(pattern.args, plain) || matchesWithoutRest(pattern.args, exact)) return true;
  const program = programBaseName(command.name);
  const words = command.argv.slice(1);
  const from = skipGlobalOptions(program, words);
  if (from > 0 && matchesWithoutRest(pattern.args, words.slice(from).join(" "))) return true;
  const args = pattern.text.slice(endOfProgram(pattern.text) + 1);
  return matchesOptions(args, program, words);
}

/** `publish *` also restricts `publish` without arguments. */
function matchesWithoutRest(args: Wildcard, words: string): boolean {
  return matchesWildcard(args, words) || matchesWildcard(args, `${words} `);
}

/** Returns whether the arguments may match after options of an unknown program: `npm --registry URL publish`. The word after an option can be its value. */
function mayFollowOptions({ text, args }: CommandPattern, { argv }: PlannedCommand): boolean {
  if (args === undefined || text.startsWith("-", endOfProgram(text) + 1)) return false;
  for (let at = 1; at < argv.length && at <= MAX_STARTS; at++) {
    if (argv[at]!.startsWith("-")) continue;
    if (at > 1 && matchesWithoutRest(args, argv.slice(at).join(" "))) return true;
    if (at === 1 || !argv[at - 1]!.startsWith("-")) return false;
  }
  return false;
}

const MAX_STARTS = 20;

function mayStart(pattern: CommandPattern, command: PlannedCommand): boolean {
  const { words, names, isExplicit, isAny } = findStartedWords(command);
  // A bare name can be any argument.
  if (isAny || (!isExplicit && pattern.args === undefined)) return isAny;
  const [first = ""] = pattern.base;
  if (pattern.base.length === 1 && !names.has(first)) return false;
  let compared = 0;
  return words.some((name, at) => {
    if (!matchesWildcard(pattern.base, programBaseName(name))) return false;
    const end = words.indexOf(";", at);
    const argv = words.slice(at, end < 0 ? undefined : end);
    return ++compared > MAX_STARTS ? isExplicit : meetsArguments(pattern, { ...command, name, argv });
  });
}

/** Returns the commands that a wrapper may start: from the first operand, and from the next word after an option. */
function innerCommands(command: PlannedCommand): PlannedCommand[] {
  const { argv, name } = command;
  if (!STARTER_PROGRAMS.test(programBaseName(name))) return [];
  const inner: PlannedCommand[] = [];
  for (let at = 1; at < argv.length; at++) {
    const word = argv[at]!;
    if (word.startsWith("-") || /^\w+=/.test(word)) continue;
    const { path: _, ...rest } = command;
    inner.push({ ...rest, name: word, argv: argv.slice(at) });
    if (!argv[at - 1]!.startsWith("-")) break;
  }
  return inner;
}

/**
 * Returns the narrowest pattern that allows this command; `undefined` if a program called by path was not found.
 *
 * @example
 * ```ts run
 * import { exactCommandPattern } from "@haft/policy";
 *
 * exactCommandPattern({ name: "git", argv: ["git", "add", "*.ts"], through: [] }); // => "git add \\*.ts"
 * ```
 */
export function exactCommandPattern(command: PlannedCommand): string | undefined {
  const { name, path } = command;
  const program = name.includes("/") ? path : name;
  if (program === undefined) return undefined;
  if (command.open === true) return escapeWord(program);
  const words = command.argv.slice(1).map((word) => {
    const quoted = quote(word);
    return quoted === word ? escapeWord(word) : escapeWildcard(quoted);
  });
  return [escapeWord(program), ...words].join(" ");
}

/** `most` limits the characters. */
export function formatCommand({ argv }: PlannedCommand, most = 80): string {
  return JSON.stringify(truncateSentence(argv.map(quote).join(" "), most));
}

interface Words {
  readonly plain: string;
  /** Quoted, so different commands have different texts. */
  readonly exact: string;
}

const known = new WeakMap<PlannedCommand, Words>();

function wordsOf(command: PlannedCommand): Words {
  let words = known.get(command);
  if (!words) {
    const args = command.argv.slice(1);
    words = { plain: args.join(" "), exact: args.map(quote).join(" ") };
    known.set(command, words);
  }
  return words;
}

function quote(word: string): string {
  return word === "" || /[\s']/.test(word) ? `'${word.replaceAll("'", String.raw`'\''`)}'` : word;
}
