import type { PlannedCommand } from "@haft/core";

export interface StartedWords {
  /** Shell text has `;` between commands. */
  readonly words: readonly string[];
  /** Without folders, for fast lookup. */
  readonly names: ReadonlySet<string>;
  /** A word introduces a command, such as `exec` in `docker exec web rm`. */
  readonly isExplicit: boolean;
  /** Contains code, or too many words to compare: it can be any command. */
  readonly isAny: boolean;
}

const INTRODUCER =
  /^(?:run|exec|dlx|ssh|shell|enter|spawn|--|-\w*c|exec-.+|--(?:call|command|entrypoint|exec|host|scripts)(?:=.*)?)$/;
/** The lines of these programs are unclear. */
export const STARTER_PROGRAMS = /^(?:sudo|doas|env|command|builtin|exec|nohup|setsid|busybox|toybox)$/;
/** Every word is compared with every rule. */
const MAX_WORDS = 1000;

const known = new WeakMap<PlannedCommand, StartedWords>();

export function findStartedWords(command: PlannedCommand): StartedWords {
  let found = known.get(command);
  if (found === undefined) known.set(command, (found = read(command)));
  return found;
}

function read({ name, argv, builtin, harmless, nested, carrier }: PlannedCommand): StartedWords {
  const introducer = argv.findIndex((word, at) => at > 0 && INTRODUCER.test(word));
  const isExplicit = introducer > 0;
  const isNone =
    builtin === true ||
    harmless === true ||
    nested === true ||
    // Known programs start their arguments only after such a word.
    (!isExplicit && carrier !== undefined) ||
    /^(?:git|hg|svn|[ef]?grep|rg|ag)$/.test(name) ||
    // It explains a call without making it.
    (name === "haft" && argv[1] === "explain") ||
    STARTER_PROGRAMS.test(name);
  const rest = isNone ? [] : argv.slice(isExplicit ? introducer : 1);
  const all = isExplicit ? rest.flatMap(partsOf) : rest;
  const words = all.slice(0, MAX_WORDS);
  const names = new Set(words.map(programBaseName));
  const isCode = rest.some(
    (word, at) =>
      /\s/.test(word) &&
      /["'`$\\]/.test(word) &&
      [word, rest[at - 1] ?? ""].some((one) => INTRODUCER.test(one) || one === "-e"),
  );
  return { words, names, isExplicit, isAny: isExplicit && (isCode || all.length > MAX_WORDS) };
}

export function programBaseName(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1);
}

/** Removes the name of an option with a value. */
function partsOf(word: string): string[] {
  return word
    .replace(/^--?[\w-]+=/, "")
    .replaceAll(/[;&|()<>\n]+/g, " ; ")
    .split(/\s+/);
}
