import { mapNames } from "../../words/map-names.ts";
import type { GitCommand } from "./git-command.ts";

/** Options with which read-only commands start a program, or use any file, including abbreviations. */
export const LAUNCHING_OPTIONS = (
  "upload-pack receive-pack exec config template open-files-in-pager extcmd ext-diff textconv filters pathspec-from-file " +
  "separate-git-dir recurse-submodules interactive edit-todo strategy no-index output output-directory contents remote " +
  "lost-found help ignore-revs-file buffer-file"
).split(" ");

export const READ_ONLY_COMMANDS: Readonly<Record<string, GitCommand>> = {
  ...mapNames(
    (
      "cat-file check-attr check-ignore cherry count-objects for-each-ref fsck ls-tree merge-base name-rev rev-list " +
      "rev-parse shortlog show-branch show-ref verify-commit verify-tag version"
    ).split(" "),
    {},
  ),
  ...mapNames(["log", "show", "whatchanged", "range-diff", "grep", "diff-tree"], { does: "diff" }),
  ...mapNames(["blame", "annotate"], { does: "content diff" }),
  "ls-files": { does: "content" },
  config: { options: "--get --get-all" },
  // With an option it shows all settings of the user.
  var: { options: "" },
  ...mapNames(["diff", "diff-files", "diff-index"], { does: "index content diff" }),
  ...mapNames(["status", "describe"], { does: "index content" }),
  "write-tree": { does: "objects" },
};
