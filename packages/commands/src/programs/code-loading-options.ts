import { mapNames } from "../words/map-names.ts";
import { hasLetter } from "../words/options.ts";
import { opaque, type LauncherRule } from "./launcher.ts";

interface Options {
  /** Letters anywhere in a cluster; `@` for a file of more arguments. */
  short?: string;
  /** Includes abbreviations. */
  long?: string;
  words?: string;
  prefixes?: string;
  pattern?: RegExp;
  /** The first word is a cluster even without a dash. */
  oldStyle?: true;
}

const BINARIES = { short: "@", long: "plugin" };
/** `rsh` or `ssh` fetches a remote archive. */
const ELSEWHERE = /^[^/]*:/;

const OPTIONS: Readonly<Record<string, Options>> = {
  find: { words: "-exec -execdir -ok -okdir -fprint -fprint0 -fprintf -fls -files0-from" },
  // It searches for `ls` to show details.
  ...mapNames(["fd", "fdfind"], { short: "xXl", long: "exec exec-batch list-details" }),
  rg: { short: "z", long: "pre hostname-bin search-zip" },
  ag: { long: "pager" },
  bat: { long: "pager" },
  tar: {
    oldStyle: true,
    short: "IF",
    long: "checkpoint-action to-command use-compress-program rsh-command rmt-command info-script new-volume-script",
    pattern: ELSEWHERE,
  },
  bsdtar: { oldStyle: true, long: "use-compress-program", pattern: ELSEWHERE },
  cpio: { long: "rsh-command", pattern: ELSEWHERE },
  mt: { long: "rsh-command", pattern: ELSEWHERE },
  zip: { short: "T", long: "test unzip-command" },
  install: { long: "strip-program" },
  rsync: { short: "eM", long: "rsh rsync-path daemon config remote-option" },
  scp: { short: "SoFD" },
  sftp: { short: "SoFDb" },
  "ssh-keygen": { short: "Dw" },
  "ssh-keyscan": { short: "D" },
  gpg: {
    long:
      "photo-viewer exec-path agent-program dirmngr-program keyboxd-program pinentry-program options homedir " +
      "load-extension",
  },
  sort: { long: "compress-program" },
  ...mapNames(["split", "csplit"], { long: "filter" }),
  curl: { short: "K", long: "config" },
  wget: { short: "e", long: "execute use-askpass config" },
  aria2c: {
    long: "on-download-complete on-download-start on-download-error on-bt-download-complete conf-path",
  },
  ...mapNames(["nc", "ncat", "nc.traditional", "netcat"], { short: "ec", long: "exec sh-exec lua-exec" }),
  nmap: { long: "script interactive datadir servicedb" },
  openssl: { words: "engine -engine -provider -provider-path -config" },
  ...mapNames(["gcc", "g++", "cc", "c++", "c89", "c99", "cpp", "gfortran", "clang", "clang++"], {
    short: "@",
    long: "specs wrapper plugin config load ld-path gcc-toolchain",
    words: "-Xclang -plugin --plugin",
    prefixes: "-B -specs -wrapper -fmodule-mapper -fplugin -iplugindir -fuse-ld -fpass-plugin",
    // Passes options to the linker, the assembler and the preprocessor.
    pattern: /^-W[alp],(?:.*,)?(?:--?plugin|@)/,
  }),
  rustc: { short: "CZ@", long: "codegen" },
  ghc: { short: "eF", prefixes: "-pgm -fplugin --interactive --run" },
  ...mapNames(["ld", "ld.bfd", "ld.gold", "ld.lld", "as", "ar", "nm", "ranlib", "objdump"], BINARIES),
  ...mapNames(["ld.mold", "mold"], { ...BINARIES, words: "-run --run" }),
  hg: { long: "config config-file", words: "debugshell" },
  svn: { long: "editor-cmd diff-cmd diff3-cmd config-option config-dir" },
  ...mapNames(["sdiff", "diff3"], { long: "diff-program" }),
  json_pp: { pattern: /^--?f/ },
  "dpkg-architecture": { short: "c", long: "command" },
  javac: { short: "@", prefixes: "-J -processor -A -Xplugin --processor" },
  ctags: { long: "options" },
  pandoc: { short: "FL", long: "filter lua-filter pdf-engine" },
  ...mapNames(["groff", "troff"], { short: "U", long: "unsafe" }),
  exiftool: { words: "-config -if -p -api", pattern: /^-.*<.*\$\{/ },
  ...mapNames(["convert", "magick"], { pattern: /^(?:\||@|[a-z]+:)/i }),
  restic: { long: "password-command option", short: "o" },
  borg: { long: "rsh" },
  certbot: { long: "pre-hook post-hook deploy-hook renew-hook manual-auth-hook manual-cleanup-hook" },
  scrot: { short: "e", long: "exec" },
  sqlmap: { long: "eval os-shell os-cmd" },
  tcpdump: { short: "z" },
  tshark: { short: "X" },
  pidstat: { short: "e" },
  dmesg: { short: "H", long: "human" },
  jrunscript: { short: "ef" },
  xdotool: { words: "exec" },
};

/** Cross compilers such as `aarch64-linux-gnu-gcc`. */
const CROSS =
  /^[\w.]+-[\w-]*?(gcc|g\+\+|c\+\+|cpp|gfortran|clang(?:\+\+)?|ld(?:\.\w+)?|as|ar|nm|ranlib|objdump)$/;

export const codeLoadingOptions: LauncherRule = (name, args) => {
  const known = CROSS.exec(name)?.[1] ?? name;
  const options = Object.hasOwn(OPTIONS, known) ? OPTIONS[known] : undefined;
  const found = options && args.find((word, at) => hasOption(word, at, options));
  const shown = found?.split("=", 1)[0];
  return shown === undefined ? undefined : opaque(`${name} can start other programs with ${shown}`);
};

function hasOption(
  word: string,
  at: number,
  { short = "", long = "", words = "", prefixes, pattern, oldStyle }: Options,
): boolean {
  if (words.split(" ").includes(word) || pattern?.test(word) === true) return true;
  if (prefixes?.split(" ").some((prefix) => word.startsWith(prefix)) === true) return true;
  const option = /^--([^=]+)/.exec(word)?.[1];
  if (option !== undefined) return long.split(" ").some((name) => name.startsWith(option));
  const isCluster = /^-[^-]/.test(word) || (oldStyle === true && at === 0 && !word.startsWith("-"));
  // Some read more words from a file after `@`.
  if (word.startsWith("@")) return short.includes("@");
  // In some programs, single dashes also begin long options.
  return isCluster && (hasLetter(word, short) || isLong(word, long));
}

function isLong(word: string, long: string): boolean {
  const name = /^-([\w-]{2,})/.exec(word)?.[1];
  return name !== undefined && long.split(" ").includes(name);
}
