/**
 * Lists known options, separated by spaces: `-q`, `--quiet` without a value; `-m=` with a value, attached or in the next word; `--color?`
 * with an optional attached value; `-#` only a number, as in `head -5`.
 */
export type Options = string;

export interface ReadOptions {
  operands: string[];
  options: ParsedOption[];
}

export interface ParsedOption {
  option: string;
  value: string;
  isNextWord?: true;
}

type Kind = "" | "=" | "?";
type Kinds = ReadonlyMap<string, Kind>;

const kindsOf = new Map<Options, Kinds>();

function kinds(options: Options): Kinds {
  let known = kindsOf.get(options);
  if (known === undefined) {
    const words = options.split(/\s+/).filter((word) => word !== "");
    known = new Map(
      words.map((word) => [word.replace(/[=?]$/, ""), (/[=?]$/.exec(word)?.[0] ?? "") as Kind]),
    );
    kindsOf.set(options, known);
  }
  return known;
}

/** Returns the first unknown option. Abbreviations are unknown. */
export function readOptions(words: readonly string[], options: Options): ReadOptions | { unknown: string } {
  const known = kinds(options);
  const operands: string[] = [];
  const given: ParsedOption[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "--") return { operands: [...operands, ...words.slice(at + 1)], options: given };
    if (!/^-./.test(word)) {
      operands.push(word);
      continue;
    }
    const found = word.startsWith("--") ? readLong(word, known) : readCluster(word, known);
    const last = found?.at(-1);
    if (last === undefined || found === undefined) return { unknown: word.split("=", 1)[0] ?? word };
    if (last.isNextWord === true) {
      at += 1;
      const value = words[at];
      if (value === undefined) return { unknown: word.split("=", 1)[0] ?? word };
      last.value = value;
    }
    given.push(...found);
  }
  return { operands, options: given };
}

function readLong(word: string, known: Kinds): ParsedOption[] | undefined {
  const cut = word.indexOf("=");
  const option = cut < 0 ? word : word.slice(0, cut);
  const kind = known.get(option);
  if (kind === undefined || (kind === "" && cut >= 0)) return undefined;
  if (cut >= 0) return [{ option, value: word.slice(cut + 1) }];
  return [kind === "=" ? { option, value: "", isNextWord: true } : { option, value: "" }];
}

function readCluster(word: string, known: Kinds): ParsedOption[] | undefined {
  if (known.has("-#") && /^-\d+$/.test(word)) return [{ option: "-#", value: word.slice(1) }];
  const given: ParsedOption[] = [];
  for (let at = 1; at < word.length; at++) {
    const option = `-${word.charAt(at)}`;
    const kind = known.get(option);
    if (kind === undefined) return undefined;
    const value = kind === "" ? "" : word.slice(at + 1);
    given.push(kind === "=" && value === "" ? { option, value, isNextWord: true } : { option, value });
    if (kind !== "") break;
  }
  return given;
}

export function hasLetter(word: string, letters: string): boolean {
  return letters.split("").some((letter) => word.includes(letter));
}
