import { foldCharacter } from "./fold-case.ts";

export interface CharacterSet {
  readonly negated: boolean;
  readonly ranges: readonly (readonly [from: number, to: number])[];
}

/** ASCII ranges, as in grep and git. */
const CLASSES: Readonly<Record<string, readonly string[]>> = {
  alnum: ["az", "AZ", "09"],
  alpha: ["az", "AZ"],
  ascii: ["\0\x7f"],
  blank: ["  ", "\t\t"],
  cntrl: ["\0\x1f", "\x7f\x7f"],
  digit: ["09"],
  graph: ["!~"],
  lower: ["az"],
  print: [" ~"],
  punct: ["!/", ":@", "[`", "{~"],
  space: ["\t\r", "  "],
  upper: ["AZ"],
  word: ["az", "AZ", "09", "__"],
  xdigit: ["09", "af", "AF"],
};

interface NamedClass {
  readonly ranges: CharacterSet["ranges"] | undefined;
  readonly length: number;
}

function namedClass(text: string): NamedClass | undefined {
  const found = /^\[:(\^?[A-Za-z]+):\]/.exec(text);
  if (found === null) return undefined;
  const name = found[1]!;
  const pairs = Object.hasOwn(CLASSES, name) ? CLASSES[name] : undefined;
  return {
    ranges: pairs?.map((pair) => [pair.charCodeAt(0), pair.charCodeAt(1)]),
    length: found[0].length,
  };
}

/**
 * Parses the set at `start`. Fails without an end, with an unknown class, or with a reversed range (with `emptyRanges`: empty). A first `]`
 * and escaped characters are members; `/` never is.
 */
export function parseCharacterSet(
  characters: readonly string[],
  start: number,
  emptyRanges: boolean,
): { set: CharacterSet; end: number } | "open" | "class" | "range" {
  let at = start + 1;
  const negated = characters[at] === "!" || characters[at] === "^";
  if (negated) at++;
  const ranges: (readonly [number, number])[] = [];
  for (const first = at; at < characters.length && characters[at] !== "/"; at++) {
    if (characters[at] === "]" && at > first) return { set: { negated, ranges }, end: at };
    const named = characters[at] === "[" ? namedClass(characters.slice(at, at + 12).join("")) : undefined;
    if (named) {
      if (named.ranges === undefined) return "class";
      ranges.push(...named.ranges);
      at += named.length - 1;
      continue;
    }
    if (characters[at] === "\\") at++;
    const from = characters[at];
    if (from === undefined || from === "/") return "open";
    let to = from;
    const end = characters[at + 2];
    if (characters[at + 1] === "-" && end !== undefined && end !== "]" && end !== "/") {
      at += end === "\\" ? 3 : 2;
      to = characters[at] ?? from;
    }
    const range = [from.codePointAt(0)!, to.codePointAt(0)!] as const;
    if (range[0] > range[1] && !emptyRanges) return "range";
    ranges.push(range);
  }
  return "open";
}

export function isInSet(set: CharacterSet, character: string): boolean {
  const point = character.codePointAt(0)!;
  return set.ranges.some(([from, to]) => point >= from && point <= to) !== set.negated;
}

/** Matches folded characters: any case of a member matches. */
export function foldSet({ negated, ranges }: CharacterSet): (folded: string) => boolean {
  const single = ranges.flatMap(([from, to]) =>
    from === to ? [foldCharacter(String.fromCodePoint(from))] : [],
  );
  const members = new Set(single);
  const among = { negated: false, ranges };
  return (folded) => {
    if (folded === "i\u0307") return (members.has(folded) || isInSet(among, "İ")) !== negated;
    const member = members.has(folded) || isInSet(among, folded) || isInSet(among, folded.toUpperCase());
    return member !== negated;
  };
}
