import { hasLetter } from "./by-argument.ts";
import { opaque, type CarrierRule } from "./carrier.ts";

/** Commands of git itself: an alias cannot replace them. */
const COMMANDS = new Set(
  (
    "add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore checkout cherry cherry-pick " +
    "clean clone commit count-objects describe diff diff-files diff-index diff-tree fetch for-each-ref format-patch fsck gc " +
    "grep help init log ls-files ls-remote ls-tree merge merge-base mv name-rev notes prune pull push range-diff read-tree " +
    "rebase reflog remote repack reset restore rev-list rev-parse revert rm shortlog show show-branch show-ref sparse-checkout " +
    "stash status switch symbolic-ref tag var verify-commit verify-tag version whatchanged worktree write-tree"
  ).split(" "),
);
const GLOBAL = /^(?:--no-pager|-P|--no-optional-locks|--literal-pathspecs|--version|-v)$/;
/** Options of its commands that name a program, a setting or a folder of hooks. */
const LAUNCHING = [
  "upload-pack",
  "receive-pack",
  "exec",
  "config",
  "template",
  "open-files-in-pager",
  "extcmd",
  "ext-diff",
  "textconv",
  "pathspec-from-file",
  "separate-git-dir",
  "recurse-submodules",
  "interactive",
  "edit-todo",
  "strategy",
];
const SHORT: Readonly<Record<string, string>> = {
  clone: "uc",
  rebase: "xis",
  grep: "O",
  init: "",
  pull: "s",
  merge: "s",
};

/** Settings of git can be programs, and so can addresses. */
export const git: CarrierRule = (name, args) => {
  if (name !== "git") return name.startsWith("git-") ? opaque(`${name} can start other programs`) : undefined;
  let at = 0;
  for (; args[at]?.startsWith("-"); at++) {
    const word = args[at] ?? "";
    if (word === "-C" && at + 1 < args.length) at += 1;
    else if (!GLOBAL.test(word)) return opaque(`git can start other programs with ${word.split("=", 1)[0]}`);
  }
  const command = args[at];
  if (command === undefined) return undefined;
  if (!COMMANDS.has(command))
    return opaque(`git ${command} can be an alias for anything, or starts other programs`);
  const rest = args.slice(at + 1);
  if (command === "bisect" && rest.includes("run")) return opaque("git bisect run starts other programs");
  const found = rest.find((word) => isLaunching(word, SHORT[command] ?? ""));
  return found === undefined
    ? undefined
    : opaque(`git ${command} can start other programs with ${found.split("=", 1)[0]}`);
};

function isLaunching(word: string, short: string): boolean {
  // `ext::sh -c …` as an address is a command.
  if (/^[\w+.-]+::/.test(word)) return true;
  const option = /^--([^=]+)/.exec(word)?.[1];
  if (option !== undefined) return LAUNCHING.some((name) => name.startsWith(option));
  return /^-[^-]/.test(word) && hasLetter(word, short);
}
