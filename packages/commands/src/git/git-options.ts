/**
 * Options a command is known to have, separated by spaces: `-q`, `--quiet` without a value; `-m=` with one, attached or in
 * the next word; `--color?` with one that is attached or not there.
 */
export type Options = string;

export interface ReadOptions {
  operands: string[];
  /** Each option with its value, in order; `""` for none. */
  given: [option: string, value: string][];
}

type Kinds = ReadonlyMap<string, "" | "=" | "?">;

const kindsOf = new Map<Options, Kinds>();

function kinds(options: Options): Kinds {
  const known = kindsOf.get(options);
  if (known !== undefined) return known;
  const made = new Map(
    options
      .split(/\s+/)
      .filter((word) => word !== "")
      .map((word) => {
        const kind = /[=?]$/.exec(word)?.[0] ?? "";
        return [word.slice(0, word.length - kind.length), kind as "" | "=" | "?"] as const;
      }),
  );
  kindsOf.set(options, made);
  return made;
}

/** Takes words apart; answers the first that is no option it knows: an abbreviation is none, either. */
export function readOptions(words: readonly string[], options: Options): ReadOptions | { unknown: string } {
  const known = kinds(options);
  const read: ReadOptions = { operands: [], given: [] };
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "--") {
      read.operands.push(...words.slice(at + 1));
      break;
    }
    if (!/^-./.test(word)) {
      read.operands.push(word);
      continue;
    }
    const taken = word.startsWith("--")
      ? takeLong(word, words[at + 1], known, read)
      : takeShort(word, words[at + 1], known, read);
    if (taken === undefined) return { unknown: word.split("=", 1)[0] ?? word };
    at += taken;
  }
  return read;
}

/** How many further words it takes. */
function takeLong(
  word: string,
  next: string | undefined,
  known: Kinds,
  read: ReadOptions,
): number | undefined {
  const cut = word.indexOf("=");
  const name = cut < 0 ? word : word.slice(0, cut);
  const kind = known.get(name);
  if (kind === undefined || (kind === "" && cut >= 0)) return undefined;
  if (kind === "=" && cut < 0) {
    if (next === undefined) return undefined;
    read.given.push([name, next]);
    return 1;
  }
  read.given.push([name, cut < 0 ? "" : word.slice(cut + 1)]);
  return 0;
}

/** The same for a cluster of letters. */
function takeShort(
  word: string,
  next: string | undefined,
  known: Kinds,
  read: ReadOptions,
): number | undefined {
  for (let at = 1; at < word.length; at++) {
    const name = `-${word.charAt(at)}`;
    const kind = known.get(name);
    if (kind === undefined) return undefined;
    const rest = word.slice(at + 1);
    if (kind === "") {
      read.given.push([name, ""]);
      continue;
    }
    if (kind === "=" && rest === "") {
      if (next === undefined) return undefined;
      read.given.push([name, next]);
      return 1;
    }
    read.given.push([name, rest]);
    return 0;
  }
  return 0;
}
