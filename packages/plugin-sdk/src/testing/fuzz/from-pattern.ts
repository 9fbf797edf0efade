import type { Random } from "./random.ts";

/** How often something that may come any number of times comes at most. */
const MOST_REPEATS = 4;
const CLASSES: Readonly<Record<string, string>> = {
  d: "0-9",
  w: "a-zA-Z0-9_",
  s: " ",
  D: "a-z",
  W: "-",
  S: "a-z",
};

/**
 * A text that a regular expression should fit, as far as this reads it: characters, classes, groups, alternatives and
 * quantifiers. Whoever wants to be sure tries it.
 */
export function fromPattern(source: string, random: Random): string {
  let at = 0;

  const alternatives = (): string => {
    const texts: string[] = [];
    do texts.push(sequence());
    while (source[at++] === "|");
    at--;
    return random.pick(texts);
  };
  const sequence = (): string => {
    let text = "";
    while (at < source.length && source[at] !== "|" && source[at] !== ")") {
      const start = at;
      const once = atom();
      const [least, most] = quantifier();
      const times = random.integer(least, most);
      text += times > 0 ? once : "";
      const end = at;
      for (let time = 1; time < times; time++) {
        at = start;
        text += atom();
      }
      at = end;
    }
    return text;
  };
  const quantifier = (): [number, number] => {
    const [found, least, comma, most] = /^\{(\d+)(,?)(\d*)\}/.exec(source.slice(at)) ?? [source[at] ?? ""];
    if (!/^[*+?{]/.test(found) || (found === "{" && least === undefined)) return [1, 1];
    at += found.length;
    if (source[at] === "?") at++;
    if (found === "*") return [0, MOST_REPEATS];
    if (found === "+") return [1, MOST_REPEATS];
    if (found === "?") return [0, 1];
    const from = Number(least);
    return [from, comma === "" ? from : most === "" ? from + MOST_REPEATS : Number(most)];
  };
  const atom = (): string => {
    const character = source[at++]!;
    if (character === "^" || character === "$") return "";
    if (character === ".") return random.pick(["a", "0", "-", " "]);
    if (character === "(") return group();
    if (character === "[") return oneOf(set());
    return character === "\\" ? escaped() : character;
  };
  const group = (): string => {
    const [kind = ""] = /^\?(?::|<[a-z]\w*>|<?[=!])/i.exec(source.slice(at)) ?? [];
    at += kind.length;
    const text = alternatives();
    at++;
    return /[=!]$/.test(kind) ? "" : text;
  };
  const escaped = (): string => {
    const character = source[at++] ?? "";
    const known = CLASSES[character];
    if (known !== undefined) return oneOf(known);
    if (character === "p" || character === "P") {
      at += /^\{[^}]*\}/.exec(source.slice(at))?.[0].length ?? 0;
      return "a";
    }
    return { n: "\n", t: "\t", r: "\r", b: "", B: "" }[character] ?? character;
  };
  const set = (): string => {
    const end = source.slice(at).search(/(?<!\\)(?:\\\\)*\]/);
    const text = source.slice(at, at + Math.max(end, 0));
    at += Math.max(end, 0) + 1;
    if (text.startsWith("^")) return ["a-z", "0-9", "_", "-"].find((each) => !text.includes(each)) ?? "~";
    return text.replaceAll(/\\([dwsDWS])/g, (_, name: string) => CLASSES[name]!).replaceAll(/\\(.)/g, "$1");
  };
  const oneOf = (characters: string): string => {
    const ranges = [...characters.matchAll(/(.)-(.)|(.)/gsu)];
    const [, from, to, single] = ranges.length === 0 ? [] : random.pick(ranges);
    if (single !== undefined || from === undefined || to === undefined) return single ?? "";
    return String.fromCodePoint(random.integer(from.codePointAt(0)!, to.codePointAt(0)!));
  };
  return alternatives();
}
