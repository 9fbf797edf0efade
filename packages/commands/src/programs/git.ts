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
/** Options of its commands that name a program, a setting, a folder of hooks, or any file. */
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
  // These read and write files wherever they are.
  "no-index",
  "output",
  "output-directory",
  "contents",
  "remote",
];
const SHORT: Readonly<Record<string, string>> = {
  clone: "uc",
  rebase: "xis",
  grep: "O",
  init: "",
  pull: "s",
  merge: "s",
  "format-patch": "o",
  archive: "o",
};
/** Outside of the repository, two paths are compared whatever they are. */
const OUTSIDE = /^\/|(?:^|\/)\.\.(?:\/|$)/;
/** Another repository on this machine: its settings and hooks run when something is sent to it or fetched from it. */
const ON_DISK = /^(?:file:|[/.~])/;
const EXCHANGING = new Set(["clone", "fetch", "pull", "push", "ls-remote"]);

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
  const operands = rest.filter((word) => !word.startsWith("-"));
  if (command === "diff" && operands.some((word) => OUTSIDE.test(word)))
    return opaque("git diff can compare any files");
  if (EXCHANGING.has(command) && operands.some((word) => ON_DISK.test(word)))
    return opaque(`git ${command} can start what another repository on this machine says`);
  const found = rest.find((word) => isLaunching(word, SHORT[command] ?? ""));
  return found === undefined
    ? undefined
    : opaque(`git ${command} can start other programs, or use any file, with ${found.split("=", 1)[0]}`);
};

function isLaunching(word: string, short: string): boolean {
  // `ext::sh -c …` as an address is a command.
  if (/^[\w+.-]+::/.test(word)) return true;
  const option = /^--([^=]+)/.exec(word)?.[1];
  if (option !== undefined) return LAUNCHING.some((name) => name.startsWith(option));
  return /^-[^-]/.test(word) && hasLetter(word, short);
}
