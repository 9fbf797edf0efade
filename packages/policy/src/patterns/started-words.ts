import type { PlannedCommand } from "@haft/core";

export interface StartedWords {
  /** All words; `;` stands between commands of a text for a shell. */
  readonly words: readonly string[];
  /** The same without folders, to find a program among them at once. */
  readonly names: ReadonlySet<string>;
  /** A word says that a command follows, as `exec` in `docker exec web rm`. */
  readonly isExplicit: boolean;
  /** There is code, or there are more words than are compared: it can be anything. */
  readonly isAny: boolean;
}

const SAID =
  /^(?:run|exec|dlx|ssh|shell|enter|spawn|--|-\w*c|exec-.+|--(?:call|command|entrypoint|exec|host|scripts)(?:=.*)?)$/;
/** They start what they are given, and a line with them is not clear. */
export const STARTER_PROGRAMS = /^(?:sudo|doas|env|command|builtin|exec|nohup|setsid|busybox|toybox)$/;
/** Each is compared with every rule. */
const MAX_WORDS = 1000;

const known = new WeakMap<PlannedCommand, StartedWords>();

/** What of its words a program may start. */
export function findStartedWords(command: PlannedCommand): StartedWords {
  let found = known.get(command);
  if (found === undefined) known.set(command, (found = read(command)));
  return found;
}

function read({ name, argv, builtin, harmless, carrier }: PlannedCommand): StartedWords {
  const said = argv.findIndex((word, at) => at > 0 && SAID.test(word));
  const isSaid = said > 0;
  const isNone =
    builtin === true ||
    harmless === true ||
    // Of programs that are known, none starts what it is given without such a word.
    (!isSaid && carrier !== undefined) ||
    /^(?:git|hg|svn|[ef]?grep|rg|ag)$/.test(name) ||
    // It says what would become of a call, and makes none.
    (name === "haft" && argv[1] === "explain") ||
    STARTER_PROGRAMS.test(name);
  const rest = isNone ? [] : argv.slice(isSaid ? said : 1);
  const all = isSaid ? rest.flatMap(partsOf) : rest;
  const words = all.slice(0, MAX_WORDS);
  const names = new Set(words.map(programBaseName));
  const isCode = rest.some(
    (word, at) =>
      /\s/.test(word) &&
      /["'`$\\]/.test(word) &&
      [word, rest[at - 1] ?? ""].some((one) => SAID.test(one) || one === "-e"),
  );
  return { words, names, isExplicit: isSaid, isAny: isSaid && (isCode || all.length > MAX_WORDS) };
}

export function programBaseName(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1);
}

/** A text for a shell in its words, and the value of an option without its name. */
function partsOf(word: string): string[] {
  return word
    .replace(/^--?[\w-]+=/, "")
    .replaceAll(/[;&|()<>\n]+/g, " ; ")
    .split(/\s+/);
}
