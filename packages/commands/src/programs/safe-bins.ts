/** How a value may look. All of them are inert: none can name a file. */
const NUMBER = /^[-+]?\d{1,12}[bkKMG]?$/;
const LIST = /^[\d,-]{1,200}$/;
const TEXT = /^[^\0]*$/;
const WORD = /^[a-z]{1,20}$/;
const KEY = /^\d+(?:\.\d+)?[bdfgiMnRrV]*(?:,\d+(?:\.\d+)?[bdfgiMnRrV]*)?$/;

/**
 * How a program is called when it only transforms what it reads from standard input. An option that is not listed is
 * refused, an abbreviation as well: files, other programs and endless waiting hide behind them.
 */
interface Profile {
  /** Letters of options without a value. */
  flags?: string;
  /** Long options without a value. */
  longFlags?: string;
  /** Options with a value, and how it may look: `d`, `delimiter`. */
  values?: Readonly<Record<string, RegExp>>;
  /** How many operands there may be, `[0, 0]` unless given, and how they may look. */
  operands?: readonly [number, number];
  operand?: RegExp;
  /** One of these options has to be given. */
  needs?: readonly string[];
}

const SAFE_BINS: Readonly<Record<string, Profile>> = {
  cut: {
    flags: "nsz",
    longFlags: "complement only-delimited zero-terminated",
    values: {
      b: LIST,
      bytes: LIST,
      c: LIST,
      characters: LIST,
      f: LIST,
      fields: LIST,
      d: TEXT,
      delimiter: TEXT,
      "output-delimiter": TEXT,
    },
  },
  uniq: {
    flags: "cdDuiz",
    longFlags: "count repeated unique ignore-case zero-terminated",
    values: {
      f: NUMBER,
      "skip-fields": NUMBER,
      s: NUMBER,
      "skip-chars": NUMBER,
      w: NUMBER,
      "check-chars": NUMBER,
    },
  },
  head: {
    flags: "qvz",
    longFlags: "quiet silent verbose zero-terminated",
    values: { n: NUMBER, lines: NUMBER, c: NUMBER, bytes: NUMBER },
  },
  tail: {
    flags: "qvz",
    longFlags: "quiet silent verbose zero-terminated",
    values: { n: NUMBER, lines: NUMBER, c: NUMBER, bytes: NUMBER },
  },
  tr: {
    flags: "cCdst",
    longFlags: "complement delete squeeze-repeats truncate-set1",
    operands: [1, 2],
    operand: TEXT,
  },
  wc: { flags: "clmwL", longFlags: "bytes chars lines words max-line-length", values: { total: WORD } },
  sort: {
    flags: "bdfgiMhnRrVcCsuz",
    longFlags:
      "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort ignore-nonprinting month-sort " +
      "human-numeric-sort numeric-sort random-sort reverse version-sort stable unique zero-terminated",
    values: { k: KEY, key: KEY, t: TEXT, "field-separator": TEXT },
  },
  grep: {
    flags: "EFGiyvwxcnbHhqsoaUzl",
    longFlags:
      "extended-regexp fixed-strings basic-regexp ignore-case no-ignore-case invert-match word-regexp line-regexp " +
      "count line-number byte-offset with-filename no-filename quiet silent no-messages only-matching text null-data",
    values: {
      e: TEXT,
      regexp: TEXT,
      m: NUMBER,
      "max-count": NUMBER,
      A: NUMBER,
      "after-context": NUMBER,
      B: NUMBER,
      "before-context": NUMBER,
      C: NUMBER,
      context: NUMBER,
      color: WORD,
      colour: WORD,
    },
    needs: ["e", "regexp"],
  },
  nl: { values: { b: /^[atn]$/, n: WORD, w: NUMBER, v: NUMBER, i: NUMBER, s: TEXT } },
  fold: { flags: "bs", longFlags: "bytes spaces", values: { w: NUMBER, width: NUMBER } },
  rev: {},
  tac: {},
  expand: { flags: "i", longFlags: "initial", values: { t: LIST, tabs: LIST } },
  unexpand: { flags: "a", longFlags: "all first-only", values: { t: LIST, tabs: LIST } },
};

/** Whether these arguments keep the program to its standard input and output. Says nothing about which file it is. */
export function isSafeBinCall(argv: readonly string[]): boolean {
  const [name = "", ...args] = argv;
  const profile = Object.hasOwn(SAFE_BINS, name) ? SAFE_BINS[name] : undefined;
  if (profile === undefined) return false;
  const given = new Set<string>();
  let operands = 0;
  let optionsEnded = false;
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? "";
    if (!optionsEnded && word === "--") {
      optionsEnded = true;
    } else if (optionsEnded || !/^-./.test(word)) {
      operands += 1;
      // `-` is standard input.
      if (!(word === "-" && profile.operand === undefined) && !(profile.operand?.test(word) ?? false))
        return false;
    } else {
      const taken = word.startsWith("--")
        ? takeLong(profile, word.slice(2), args[at + 1], given)
        : takeShort(profile, word.slice(1), args[at + 1], given);
      if (taken === undefined) return false;
      at += taken;
    }
  }
  const [least, most] = profile.operands ?? [0, 1];
  if (operands < least || operands > most) return false;
  return profile.needs === undefined || profile.needs.some((option) => given.has(option));
}

/** What is wrong with a call of a safe bin that is not safe; `undefined` for other programs, and when it is. */
export function whyNotSafe(argv: readonly string[]): string | undefined {
  const [name = "", ...args] = argv;
  if (!Object.hasOwn(SAFE_BINS, name) || isSafeBinCall(argv)) return undefined;
  const needs = SAFE_BINS[name]?.needs ?? [];
  const hasThem = args.some((word) =>
    needs.some((one) => word.startsWith(one.length > 1 ? `--${one}` : `-${one}`)),
  );
  return needs.length > 0 && !hasThem
    ? `${name} is a safe bin only with its pattern behind -e, as in ${name} -e PATTERN`
    : `${name} is a safe bin only with arguments that name no files and do nothing else`;
}

/** How many further words a long option takes; `undefined` when it is refused. */
function takeLong(
  profile: Profile,
  word: string,
  next: string | undefined,
  given: Set<string>,
): 0 | 1 | undefined {
  const cut = word.indexOf("=");
  const name = cut < 0 ? word : word.slice(0, cut);
  if (cut < 0 && profile.longFlags?.split(" ").includes(name)) return 0;
  const pattern =
    name.length > 1 && Object.hasOwn(profile.values ?? {}, name) ? profile.values?.[name] : undefined;
  if (pattern === undefined) return undefined;
  // Some take their value only with `=`, and would read the next word as a file.
  if (cut < 0 && (pattern === WORD || next === undefined || next.startsWith("-"))) return undefined;
  const value = cut < 0 ? (next ?? "") : word.slice(cut + 1);
  given.add(name);
  return pattern.test(value) ? (cut < 0 ? 1 : 0) : undefined;
}

/** The same for a cluster of short ones. */
function takeShort(
  profile: Profile,
  cluster: string,
  next: string | undefined,
  given: Set<string>,
): 0 | 1 | undefined {
  if (/^\d+$/.test(cluster))
    return profile.values?.["n"] === NUMBER || profile.values?.["C"] === NUMBER ? 0 : undefined;
  for (let at = 0; at < cluster.length; at++) {
    const letter = cluster.charAt(at);
    if (profile.flags?.includes(letter)) continue;
    const pattern = Object.hasOwn(profile.values ?? {}, letter) ? profile.values?.[letter] : undefined;
    if (pattern === undefined) return undefined;
    given.add(letter);
    const rest = cluster.slice(at + 1);
    if (rest !== "") return pattern.test(rest) ? 0 : undefined;
    return next !== undefined && pattern.test(next) ? 1 : undefined;
  }
  return 0;
}
