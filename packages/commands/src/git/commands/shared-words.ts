export const PATCH_HOOKS = "applypatch-msg pre-applypatch post-applypatch";
export const COMMIT_HOOKS = "pre-commit prepare-commit-msg commit-msg post-commit post-rewrite";
export const MERGE_HOOKS = `pre-merge-commit post-merge ${COMMIT_HOOKS}`;
export const CHANGES = "index refs files content merge objects";
const STRATEGY = /^(?:ort|recursive|resolve|octopus|ours|subtree)$/;
export const STRATEGIES = { "-s": STRATEGY, "--strategy": STRATEGY };
/** Messages are read from files of the working tree only, or are what the line itself hands over. */
const INSIDE = /^(?!\/|~)(?!(?:.*\/)?\.\.(?:\/|$))./;
export const FILES = { "-F": INSIDE, "--file": INSIDE };
export const MERGING =
  "--ff --no-ff --ff-only --squash --no-squash --commit --no-commit --edit --no-edit -e -q --quiet -v --verbose --stat --no-stat -n " +
  "--signoff --no-signoff -s= --strategy= -X= --strategy-option= --autostash --no-autostash --no-verify --verify " +
  "--verify-signatures --no-verify-signatures --allow-unrelated-histories --log? --no-log -S? --gpg-sign? --no-gpg-sign " +
  "--progress --no-progress --cleanup= --rerere-autoupdate --no-rerere-autoupdate";
export const TELLING = "-q --quiet -v --verbose";
