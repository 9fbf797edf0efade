import { opaque, type Carrier, type CarrierRule } from "./carrier.ts";

/** Options with which a program starts another one. */
interface Options {
  /** Letters of short options, wherever they stand in a cluster. */
  short?: string;
  /** Names of long options; abbreviations of them count. */
  long?: string;
  /** Whole words. */
  words?: string;
  /** The first word is a cluster of letters even without a dash. */
  oldStyle?: true;
}

const REMOTE = { short: "eM", long: "rsh rsync-path daemon config remote-option" };
const NETCAT = { short: "ec", long: "exec sh-exec lua-exec" };
const COMPILER = { short: "B", long: "specs wrapper plugin config fplugin load", words: "-wrapper -Xclang" };

const OPTIONS: Readonly<Record<string, Options>> = {
  find: { words: "-exec -execdir -ok -okdir -fprint -fprint0 -fprintf -fls -files0-from" },
  fd: { short: "xX", long: "exec exec-batch" },
  fdfind: { short: "xX", long: "exec exec-batch" },
  rg: { short: "z", long: "pre hostname-bin search-zip" },
  ag: { long: "pager" },
  tar: {
    oldStyle: true,
    short: "IF",
    long: "checkpoint-action to-command use-compress-program rsh-command rmt-command info-script new-volume-script",
  },
  bsdtar: { oldStyle: true, long: "use-compress-program" },
  cpio: { long: "rsh-command" },
  zip: { short: "T", long: "test unzip-command" },
  rsync: REMOTE,
  scp: { short: "SoFD" },
  sftp: { short: "SoFDb" },
  sort: { long: "compress-program" },
  split: { long: "filter" },
  curl: { short: "K", long: "config" },
  wget: { short: "e", long: "execute use-askpass config" },
  aria2c: {
    long: "on-download-complete on-download-start on-download-error on-bt-download-complete conf-path",
  },
  nc: NETCAT,
  ncat: NETCAT,
  netcat: NETCAT,
  openssl: { words: "engine -engine -provider -provider-path -config" },
  gcc: COMPILER,
  "g++": COMPILER,
  cc: COMPILER,
  "c++": COMPILER,
  clang: COMPILER,
  "clang++": COMPILER,
  ld: { long: "plugin", words: "-plugin" },
  psql: { short: "cfo", long: "command file output" },
  mysql: { short: "e", long: "execute pager init-command" },
  sqlite: { words: "-cmd -init" },
  hg: { long: "config config-file", words: "debugshell" },
  svn: { long: "editor-cmd diff-cmd diff3-cmd config-option config-dir" },
  sdiff: { long: "diff-program" },
  ctags: { long: "options" },
  pandoc: { short: "FL", long: "filter lua-filter pdf-engine" },
  tcpdump: { short: "z" },
  pytest: { short: "pc", long: "rootdir config-file override-ini" },
};

export const byArgument: CarrierRule = (name, args) => {
  const options = Object.hasOwn(OPTIONS, name) ? OPTIONS[name] : undefined;
  if (options !== undefined) {
    const found = args.find((word, at) => hasOption(word, at, options));
    const shown = found?.split("=", 1)[0];
    return shown === undefined ? undefined : opaque(`${name} can start other programs with ${shown}`);
  }
  return SPECIAL[name]?.(args);
};

function hasOption(
  word: string,
  at: number,
  { short = "", long = "", words = "", oldStyle }: Options,
): boolean {
  if (words.split(" ").includes(word)) return true;
  const option = /^--([^=]+)/.exec(word)?.[1];
  if (option !== undefined) return long.split(" ").some((name) => name.startsWith(option));
  const isCluster = /^-[^-]/.test(word) || (oldStyle === true && at === 0 && !word.startsWith("-"));
  // Single dashes begin long options, too, in some.
  return isCluster && (hasLetter(word, short) || isLong(word, long));
}

export function hasLetter(word: string, letters: string): boolean {
  return letters.split("").some((letter) => word.includes(letter));
}

function isLong(word: string, long: string): boolean {
  const name = /^-([\w-]{2,})/.exec(word)?.[1];
  return name !== undefined && long.split(" ").includes(name);
}

const SPECIAL: Readonly<Record<string, (args: readonly string[]) => Carrier | undefined>> = {
  awk: () => opaque("programs of awk can start others"),
  gawk: () => opaque("programs of awk can start others"),
  mawk: () => opaque("programs of awk can start others"),
  nawk: () => opaque("programs of awk can start others"),
  "original-awk": () => opaque("programs of awk can start others"),
  sed: (args) => (isSimpleSed(args) ? undefined : opaque("programs of sed can start others and write files")),
  gsed: (args) =>
    isSimpleSed(args) ? undefined : opaque("programs of sed can start others and write files"),
  socat: () => opaque("socat connects anything, programs included"),
  ...Object.fromEntries(
    "vi vim nvim view vimdiff rvim ex emacs emacsclient nano pico joe mcedit micro helix hx kak less more most man info pg w3m lynx mutt mail mailx ftp lftp top htop gh"
      .split(" ")
      .map((name) => [name, (args: readonly string[]) => interactive(name, args)]),
  ),
};

/** They can start programs by their keys, and by what their options say. */
function interactive(name: string, args: readonly string[]): Carrier {
  const reason = `${name} can start other programs`;
  return args.some((word) => /^[-+]/.test(word)) ? opaque(reason) : { reason };
}

const SED_OPTION =
  /^(?:-[nErsuz]+|--quiet|--silent|--regexp-extended|--separate|--unbuffered|--null-data|-i|-i\.\w+)$/;
/** An address and one command that neither reads, writes nor starts anything. */
const SED_COMMAND = /^(?:(?:\d+|\$)(?:,(?:\d+|\$))?)?[pdq=]$/;

/** Whether all that a sed program does is visible: addresses by number, `p`, `d`, `q` and plain `s`. */
function isSimpleSed(args: readonly string[]): boolean {
  const scripts: string[] = [];
  let at = 0;
  for (; at < args.length; at++) {
    const word = args[at] ?? "";
    if (word === "-e" && at + 1 < args.length) scripts.push(args[++at] ?? "");
    else if (SED_OPTION.test(word)) continue;
    else break;
  }
  const rest = args.slice(at);
  const program = scripts.length > 0 ? undefined : rest.shift();
  if (program !== undefined) scripts.push(program);
  // Options may follow operands.
  const isPlain = rest.every((word) => !word.startsWith("-"));
  return (
    isPlain &&
    scripts.length > 0 &&
    scripts.every((script) => SED_COMMAND.test(script) || isSubstitution(script))
  );
}

function isSubstitution(script: string): boolean {
  const [, delimiter = "", body = ""] = /^(?:\d+|\$)?s([/|,#:@!])([^\n]*)$/.exec(script) ?? [];
  if (delimiter === "") return false;
  const parts = body.replaceAll(/\\./g, "").split(delimiter);
  return parts.length === 3 && /^[gpI0-9]*$/.test(parts[2] ?? "");
}
