import { type ParsedOption, type Options, readOptions } from "../words/options.ts";

/** No value can name a file. */
const VALUES = {
  numbers: /^[-+]?\d{1,12}[bkKMG]?$/,
  lists: /^[\d,-]{1,200}$/,
  texts: /^[^\0]*$/,
  words: /^[a-z]{1,20}$/,
  keys: /^\d+(?:\.\d+)?[bdfgiMnRrV]*(?:,\d+(?:\.\d+)?[bdfgiMnRrV]*)?$/,
  styles: /^[atn]$/,
};
type Kind = keyof typeof VALUES;

/**
 * Describes the options with which a program only transforms standard input: options without a value, and options with a value by its kind.
 * forever.
 */
interface Profile extends Partial<Record<Kind, string>> {
  flags?: string;
  /** Minimum and maximum, without `-`. Default: no operands. */
  operands?: readonly [number, number];
  /** One of these options is required. */
  needs?: readonly string[];
}

const HEAD: Profile = {
  flags: "-q -v -z --quiet --silent --verbose --zero-terminated -#",
  numbers: "-n= --lines= -c= --bytes=",
};

const SAFE_BINS: Readonly<Record<string, Profile>> = {
  cut: {
    flags: "-n -s -z --complement --only-delimited --zero-terminated",
    lists: "-b= --bytes= -c= --characters= -f= --fields=",
    texts: "-d= --delimiter= --output-delimiter=",
  },
  uniq: {
    flags: "-c -d -D -u -i -z --count --repeated --unique --ignore-case --zero-terminated",
    numbers: "-f= --skip-fields= -s= --skip-chars= -w= --check-chars=",
  },
  head: HEAD,
  tail: HEAD,
  tr: { flags: "-c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1", operands: [1, 2] },
  // Some accept a value only after `=`, and read the next word as a file.
  wc: { flags: "-c -l -m -w -L --bytes --chars --lines --words --max-line-length", words: "--total?" },
  sort: {
    flags:
      "-b -d -f -g -i -M -h -n -R -r -V -c -C -s -u -z --ignore-leading-blanks --dictionary-order --ignore-case " +
      "--general-numeric-sort --ignore-nonprinting --month-sort --human-numeric-sort --numeric-sort --random-sort " +
      "--reverse --version-sort --stable --unique --zero-terminated",
    keys: "-k= --key=",
    texts: "-t= --field-separator=",
  },
  grep: {
    flags:
      "-E -F -G -i -y -v -w -x -c -n -b -H -h -q -s -o -a -U -z -l --extended-regexp --fixed-strings --basic-regexp " +
      "--ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --count --line-number --byte-offset " +
      "--with-filename --no-filename --quiet --silent --no-messages --only-matching --text --null-data -#",
    texts: "-e= --regexp=",
    numbers: "-m= --max-count= -A= --after-context= -B= --before-context= -C= --context=",
    words: "--color? --colour?",
    needs: ["-e", "--regexp"],
  },
  nl: { styles: "-b=", words: "-n=", numbers: "-w= -v= -i=", texts: "-s=" },
  fold: { flags: "-b -s --bytes --spaces", numbers: "-w= --width=" },
  rev: {},
  tac: {},
  expand: { flags: "-i --initial", lists: "-t= --tabs=" },
  unexpand: { flags: "-a --all --first-only", lists: "-t= --tabs=" },
};

/** Returns whether the program uses only standard input and output. It does not check the program's file. */
export function isSafeBinCall(argv: readonly string[]): boolean {
  const [name = "", ...args] = argv;
  const profile = Object.hasOwn(SAFE_BINS, name) ? SAFE_BINS[name] : undefined;
  if (profile === undefined) return false;
  const read = readOptions(args, optionsOf(profile));
  if ("unknown" in read || !read.options.every((one) => isInert(one, profile))) return false;
  const { operands: [least, most] = [0, 1], needs } = profile;
  if (read.operands.length < least || read.operands.length > most) return false;
  if (profile.operands === undefined && read.operands.some((word) => word !== "-")) return false;
  return needs === undefined || read.options.some(({ option }) => needs.includes(option));
}

function optionsOf(profile: Profile): Options {
  return [profile.flags, ...kinds().map((kind) => profile[kind])].join(" ");
}

const kinds = () => Object.keys(VALUES) as Kind[];

function isInert({ option, value, isNextWord }: ParsedOption, profile: Profile): boolean {
  // Readers would take this value for an option.
  if (option.startsWith("--") && isNextWord && value.startsWith("-")) return false;
  const kind = kinds().find((one) => profile[one]?.split(" ").some((word) => word.slice(0, -1) === option));
  return kind === undefined || VALUES[kind].test(value);
}

/** `undefined` for safe calls and other programs. */
export function describeUnsafeCall(argv: readonly string[]): string | undefined {
  const [name = "", ...args] = argv;
  if (!Object.hasOwn(SAFE_BINS, name) || isSafeBinCall(argv)) return undefined;
  const needs = SAFE_BINS[name]?.needs ?? [];
  const hasThem = args.some((word) => needs.some((one) => word.startsWith(one)));
  return needs.length > 0 && !hasThem
    ? `${name} is a safe bin only with its pattern behind -e, as in ${name} -e PATTERN`
    : `${name} is a safe bin only with arguments that name no files and do nothing else`;
}
