/** The character classes of POSIX (`[[:alpha:]]`), as ranges of ASCII characters: what they mean to grep and git. */
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

/** A named class within a bracket. */
export interface NamedClass {
  name: string;
  /** Both ends included; `undefined` when there is no class of this name. */
  ranges: readonly (readonly [from: string, to: string])[] | undefined;
  /** Characters from `[:` to `:]`. */
  length: number;
}

/** The class that begins with the `[:` at the start of `text`; `undefined` when none does. */
export function namedClass(text: string): NamedClass | undefined {
  const found = /^\[:(\^?[A-Za-z]+):\]/.exec(text);
  if (found === null) return undefined;
  const name = found[1] as string;
  const ranges = Object.hasOwn(CLASSES, name) ? CLASSES[name] : undefined;
  return {
    name,
    ranges: ranges?.map((pair) => [pair[0] as string, pair[1] as string]),
    length: found[0].length,
  };
}
