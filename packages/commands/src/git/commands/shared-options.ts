export const PATCH_HOOKS = "applypatch-msg pre-applypatch post-applypatch";
export const COMMIT_HOOKS = "pre-commit prepare-commit-msg commit-msg post-commit post-rewrite";
export const MERGE_HOOKS = `pre-merge-commit post-merge ${COMMIT_HOOKS}`;
export const ALL_CHANGES = "index refs files content merge objects";
const STRATEGY = /^(?:ort|recursive|resolve|octopus|ours|subtree)$/;
export const STRATEGY_OPTIONS = { "-s": STRATEGY, "--strategy": STRATEGY };
/** Messages come only from files of the working tree, or from the line. */
const INSIDE = /^(?!\/|~)(?!(?:.*\/)?\.\.(?:\/|$))./;
export const FILE_OPTIONS = { "-F": INSIDE, "--file": INSIDE };
export const MERGE_OPTIONS =
  "--ff --no-ff --ff-only --squash --no-squash --commit --no-commit --edit --no-edit -e -q --quiet -v --verbose --stat --no-stat -n " +
  "--signoff --no-signoff -s= --strategy= -X= --strategy-option= --autostash --no-autostash --no-verify --verify " +
  "--verify-signatures --no-verify-signatures --allow-unrelated-histories --log? --no-log -S? --gpg-sign? --no-gpg-sign " +
  "--progress --no-progress --cleanup= --rerere-autoupdate --no-rerere-autoupdate";
export const OUTPUT_OPTIONS = "-q --quiet -v --verbose";
