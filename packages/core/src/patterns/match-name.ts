import { compileWildcard, escapeWildcard, matchesWildcard } from "@haft/utils";
import { foldSet, isInSet } from "./character-set.ts";
import { foldCase } from "./fold-case.ts";
import type { Token } from "./tokenise.ts";

const ANY = Symbol("*");

type Part = typeof ANY | ((character: string) => boolean);

export interface NameTest {
  readonly matches: (name: string) => boolean;
  readonly end: string;
}

export type NameMatcher = string | NameTest;

export function compileName(tokens: readonly Token[], fold: boolean): NameMatcher {
  if (tokens.every(({ kind }) => kind === "character")) return plainText(tokens, fold);
  if (tokens.every(({ kind }) => kind === "character" || kind === "*")) {
    const pieces = tokens.map(({ kind, text }) => (kind === "*" ? text : escapeWildcard(text))).join("");
    const wildcard = compileWildcard(fold ? foldCase(pieces) : pieces);
    return { matches: (name) => matchesWildcard(wildcard, name), end: wildcard.at(-1)! };
  }
  let made: Part[] | undefined;
  const last = tokens.at(-1)!;
  const end = last.kind === "character" ? plainText([last], fold) : "";
  const matches = (name: string) => {
    const parts = (made ??= tokens.flatMap((token) => partsOf(token, fold)));
    if (matchesParts(parts, Array.from(name))) return true;
    // A `?` for `İ` has to match its two lower-case characters.
    return fold && name.includes(DOTTED) && matchesParts(parts, name.match(/i\u0307|./gsu) ?? []);
  };
  return { matches, end };
}

const DOTTED = "i\u0307";

function plainText(tokens: readonly Token[], fold: boolean): string {
  const text = tokens.map((token) => token.text).join("");
  return fold ? foldCase(text) : text;
}

function partsOf({ kind, text, set }: Token, fold: boolean): Part[] {
  if (kind === "*") return [ANY];
  if (kind === "?") return [() => true];
  if (set) return [fold ? foldSet(set) : (character) => isInSet(set, character)];
  return Array.from(fold ? foldCase(text) : text, (each) => (character: string) => character === each);
}

/** Backtracks only to the latest star: at most pattern × name steps. */
function matchesParts(parts: readonly Part[], characters: readonly string[]): boolean {
  let part = 0;
  let star = -1;
  let resume = 0;
  for (let at = 0; at < characters.length;) {
    const wanted = parts[part];
    if (wanted === ANY) {
      star = part++;
      resume = at;
    } else if (wanted?.(characters[at]!)) {
      part++;
      at++;
    } else if (star >= 0) {
      part = star + 1;
      at = ++resume;
    } else return false;
  }
  return parts.slice(part).every((each) => each === ANY);
}
