import { readGitCall } from "../git/git-call.ts";
import { baseName, isInSystemFolder } from "../words/names.ts";
import { codeLoadingOptions } from "./code-loading-options.ts";

/**
 * System programs that only read with these arguments, according to their manuals: they start no program, and write, delete and set
 * nothing. Rules below check programs that can do more. Git is included as far as its words and its repository can be analyzed.
 */
const HARMLESS = new Set(
  (
    "arch b2sum base32 base64 basename cat cksum cmp comm cut date df diff dirname du echo expand expr factor false fd " +
    "fdfind find fmt fold free git grep groups head hostid id join jq ls md5sum nl nproc od paste pathchk pgrep " +
    "pinky pr printenv printf ps pwd readlink realpath rev rg seq sha1sum sha224sum sha256sum sha384sum sha512sum sleep stat " +
    "sum tac tail test tr true tsort tty uname unexpand uniq uptime users wc whoami ["
  ).split(" "),
);

type OnlyReads = (args: readonly string[]) => boolean;

const LOOKING: Readonly<Record<string, OnlyReads>> = {
  date: readsDate,
  // `--paginate` starts pr.
  diff: (args) => !args.some((word) => isOption(word, "l", "paginate")),
  find: (args) => !args.includes("-delete"),
  git: (args) => {
    const call = readGitCall(args);
    return call === undefined || !("unclear" in call);
  },
  uniq: (args) => operandsOf(args, /^-[cdDuiz]*[fsw]$|^--(?:sk|skip-(?:f|c)|w|check-c)\w*$/).length < 2,
};

/**
 * Returns whether the program at this real path is known to start nothing and change nothing with these arguments. A grant for it can then
 * cover all such arguments.
 *
 * @example
 * ```ts run
 * import { isKnownHarmless } from "@haft/commands";
 *
 * isKnownHarmless("/usr/bin/find", [".", "-name", "*.ts"]); // => true
 * isKnownHarmless("/usr/bin/find", [".", "-delete"]); // => false
 * ```
 */
export function isKnownHarmless(realPath: string, args: readonly string[]): boolean {
  const name = baseName(realPath);
  if (!isInSystemFolder(realPath) || !HARMLESS.has(name)) return false;
  if (codeLoadingOptions(name, args) !== undefined) return false;
  return !Object.hasOwn(LOOKING, name) || LOOKING[name]?.(args) === true;
}

/** Matches clusters and abbreviations. */
function isOption(word: string, letter: string, long: string): boolean {
  const option = /^--([^=]+)/.exec(word)?.[1];
  if (option !== undefined) return long.startsWith(option);
  return /^-[^-]/.test(word) && word.includes(letter);
}

function operandsOf(args: readonly string[], withValue: RegExp): readonly string[] {
  const end = args.indexOf("--");
  const before = end < 0 ? args : args.slice(0, end);
  const found = before.filter(
    (word, at) => (!/^[-+]./.test(word) || word === "-") && !withValue.test(before[at - 1] ?? ""),
  );
  return end < 0 ? found : [...found, ...args.slice(end + 1)];
}

/** `--set` and any word that is not a format set the clock. Unknown options are refused. */
function readsDate(args: readonly string[]): boolean {
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? "";
    if (/^(?:-d|-r|-f|--date|--reference|--file)$/.test(word)) at += 1;
    else if (
      !/^(?:\+|-[uR]+$|-I(?:date|hours|minutes|seconds|ns)?$|-[drf].|--(?:utc|universal|debug|help|version|resolution|rfc-email)$)/.test(
        word,
      ) &&
      !/^--(?:date|reference|file|iso-8601|rfc-3339)(?:=|$)/.test(word)
    )
      return false;
  }
  return true;
}
