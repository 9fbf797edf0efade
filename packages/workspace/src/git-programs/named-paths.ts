import { dirname } from "node:path";
import { expandPlaces, placesOf, type ScriptPlace, showBlanks } from "./expand-places.ts";

/** Paths that a text names. */
export interface NamedPath {
  path: string;
  /** It stands where a program is started or a script is sourced. */
  isStarted: boolean;
  /** The name of a file in this folder is only known when the script runs. */
  isFolder: boolean;
}

const LONGEST_WORD = 4096;
const MOST_WORDS = 20_000;
/** What separates commands, words, or a part of a word that is no path. */
const TOKEN = /\n|&&|\|\||[;|&()]|\$\{[^}\n]*\}|\$\([^()\n]*\)|[^\s;|&()"'<>=,[\]{}]+|[{}]/g;
const SEPARATOR = /^(?:\n|&&|\|\||[;|&({]|then|do|else|elif|if|while|until|!|time|-)$/;
/** The word behind one of these is a program or a script, and options may come in between. */
const STARTS =
  /^(?:\.|source|(?:ba|da|z|k)?sh|node|deno|bun|python[\d.]*|ruby|perl|php|tsx|ts-node|exec|env|command|eval|sudo|nice|xargs|run:|entry:)$/;
/** Extensions that a program may leave out where it names a module. */
const EXTENSIONS = [".sh", ".js", ".cjs", ".mjs", ".ts", ".py"];

/**
 * The paths that the text of a script, or of a hook manager's file, names. Words are told from each other as a shell does, without
 * its grammar: a path too many is harmless, because only programs among them count.
 */
export function namedPaths(text: string, place: ScriptPlace): NamedPath[] {
  const found: NamedPath[] = [];
  let isStart = true;
  let isAfterStarter = false;
  let words = 0;
  for (const token of joinedTokens(expandPlaces(withoutComments(text), place))) {
    if (++words > MOST_WORDS) break;
    if (SEPARATOR.test(token)) {
      isStart = true;
      isAfterStarter = false;
      continue;
    }
    if (token.length <= LONGEST_WORD) found.push(...pathsOfWord(showBlanks(token), isStart, place));
    isAfterStarter = STARTS.test(token) || (isAfterStarter && token.startsWith("-"));
    isStart = isAfterStarter;
  }
  return found;
}

/** A word goes on over quotes and variables that touch each other: `"$DIR"/x`. */
function* joinedTokens(text: string): Iterable<string> {
  let word = "";
  let end = -1;
  for (const match of text.matchAll(TOKEN)) {
    const [token] = match;
    const isWord = !/^(?:\n|&&|\|\||[;|&(){}])$/.test(token);
    const touches = end >= 0 && /^["']*$/.test(text.slice(end, match.index));
    if (word !== "" && !(isWord && touches)) {
      yield word;
      word = "";
    }
    if (isWord) word += token;
    else yield token;
    end = isWord ? match.index + token.length : -1;
  }
  if (word !== "") yield word;
}

function withoutComments(text: string): string {
  return text
    .replaceAll(/^[ \t]*#(?!!).*$/gm, "")
    .replaceAll(/\\\n/g, " ")
    .replace(/^#!/, "");
}

function pathsOfWord(word: string, isStarted: boolean, place: ScriptPlace): NamedPath[] {
  // A variable in front is a folder that is not known: what follows may be below any of ours.
  const known = word.replace(/^(?:(?:\$\{[^}]*\}|\$\([^()]*\)|\$\w+)+\/+)+/, "");
  const isBelowUnknown = known !== word;
  if (isBelowUnknown && known === "") return [];
  const dynamic = known.search(/[$*?]/);
  if (dynamic >= 0) {
    const before = known.slice(0, dynamic);
    if (!before.includes("/")) return [];
    const folder = before.slice(0, before.lastIndexOf("/") + 1);
    return placesOf(folder, place).map((path) => ({ path, isStarted, isFolder: true }));
  }
  const plain = known.replace(/[:,]+$/, "");
  if (plain === "" || plain === "." || plain === ".." || plain.startsWith("-")) return [];
  const isRelative = plain.startsWith("./") || plain.startsWith("../");
  const all = placesOf(plain, place).flatMap((path) => [
    path,
    ...(isRelative && !/\.\w+$/.test(path) ? EXTENSIONS.map((extension) => path + extension) : []),
  ]);
  return all.map((path) => ({ path, isStarted: isStarted && plain.includes("/"), isFolder: false }));
}

/** Is this folder, by its name, one of hooks? */
export function isHooksFolder(path: string): boolean {
  return /hook|\.d\/?$/i.test(path.slice(dirname(path).length));
}
