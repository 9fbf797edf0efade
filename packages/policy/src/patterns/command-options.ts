import { compileWildcard, matchesWildcard, type Wildcard } from "@haft/utils";
import { hasSubcommands, type ReadOption, readWords } from "./program-options.ts";

interface OptionPattern {
  options: readonly (ReadOption & { wildcard?: Wildcard })[];
  operands: Wildcard;
  isWhole: boolean;
}

/** `undefined`: the program is unknown or has no options to compare. */
const compiled = new Map<string, OptionPattern | undefined>();
const MAX_COMPILED = 2000;

/**
 * Compares options as a set, in any order and spelling. Only for rules that restrict.
 *
 * @param program name without folder
 */
export function matchesOptions(args: string, program: string, words: readonly string[]): boolean {
  const pattern = optionPattern(args, program);
  if (pattern === undefined) return false;
  const given = readWords(program, words);
  if (given === undefined) return false;
  const hasAll = pattern.options.every(({ names, wildcard }) =>
    given.options.some(
      (one) =>
        one.names.some((name) => names.includes(name)) &&
        (wildcard === undefined || (one.value !== undefined && matchesWildcard(wildcard, one.value))),
    ),
  );
  const isMore = ({ names }: ReadOption): boolean =>
    !pattern.options.some((one) => one.names.some((name) => names.includes(name)));
  if (pattern.isWhole && given.options.some(isMore)) return false;
  const operands = given.operands.join(" ");
  // `push *` also matches `push` without arguments.
  return hasAll && [operands, `${operands} `].some((text) => matchesWildcard(pattern.operands, text));
}

/** Whether options of this pattern are compared as written because the program is unknown. `undefined`: no options. */
export function isSpellingOnly(program: string, args: string): boolean | undefined {
  const words = wordsIn(args);
  if (!words.some((word) => /^-[^-*]|^--[^*]/.test(word))) return undefined;
  return readWords(program, words) === undefined;
}

function optionPattern(args: string, program: string): OptionPattern | undefined {
  const key = `${program}\0${args}`;
  if (compiled.has(key)) return compiled.get(key);
  if (compiled.size >= MAX_COMPILED) compiled.clear();
  const pattern = readPattern(args, program);
  compiled.set(key, pattern);
  return pattern;
}

function readPattern(args: string, program: string): OptionPattern | undefined {
  const words = wordsIn(args);
  const read = readWords(program, words);
  if (read === undefined || (read.options.length === 0 && !hasSubcommands(program))) return undefined;
  const operands = [...read.operands];
  if (words.at(-1)?.endsWith("*") === true && operands.at(-1)?.endsWith("*") !== true) operands.push("*");
  const options = read.options
    .filter(({ names }) => !(names.length === 1 && names[0] === "-*"))
    .map((one) =>
      one.value === undefined || one.value === "*" ? one : { ...one, wildcard: compileWildcard(one.value) },
    );
  const isWhole = !words.some((word) => word.endsWith("*"));
  return { options, operands: compileWildcard(operands.join(" ")), isWhole };
}

function wordsIn(args: string): string[] {
  return args.match(/(?:[^\\ ']|\\.|'[^']*')+/g) ?? [];
}
