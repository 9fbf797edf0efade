import { mapNames } from "../../words/map-names.ts";
import type { GitCommand } from "./git-command.ts";
import {
  ALL_CHANGES,
  COMMIT_HOOKS,
  FILE_OPTIONS,
  MERGE_HOOKS,
  MERGE_OPTIONS,
  PATCH_HOOKS,
  STRATEGY_OPTIONS,
  OUTPUT_OPTIONS,
} from "./shared-options.ts";

const PICKING =
  "-n --no-commit -e --edit --no-edit -x -s --signoff -m= --mainline= --abort --continue --skip --quit --ff -q " +
  "--allow-empty --allow-empty-message --keep-redundant-commits -X= --strategy-option= --strategy= -S? --gpg-sign? " +
  "--no-gpg-sign --cleanup= --reference --rerere-autoupdate --no-rerere-autoupdate";
const LISTING =
  "--contains? --no-contains? --merged? --no-merged? --points-at= --sort= --format= --color? --no-color --column? --no-column " +
  "-i --ignore-case -l --list --omit-empty";

export const CHANGING_COMMANDS: Readonly<Record<string, GitCommand>> = {
  add: {
    options: `${OUTPUT_OPTIONS} -A --all --no-all -u --update -n --dry-run -f --force -N --intent-to-add --ignore-errors --renormalize --refresh --sparse`,
    does: "index content",
  },
  am: {
    options:
      "-3 --3way --no-3way -s --signoff -q --quiet -k --keep -b -c --scissors --no-scissors -u --utf8 --abort --continue --skip --quit -r --resolved --no-verify --whitespace= -p= -C=",
    does: ALL_CHANGES,
    hooks: `${PATCH_HOOKS} post-rewrite`,
    reads: "all",
  },
  apply: {
    options:
      "--check --stat --numstat --summary --index --cached --intent-to-add -N -3 --3way -R --reverse -v --verbose -q --quiet -p= -C= --whitespace= --ignore-whitespace --ignore-space-change --recount --inaccurate-eof --unidiff-zero --allow-empty --allow-overlap --include= --exclude= --no-add -z --ours --theirs --union",
    does: "index files content merge",
    reads: "all",
  },
  archive: {
    options:
      "--format= --prefix= -v --verbose -l --list --worktree-attributes --mtime= -0 -1 -2 -3 -4 -5 -6 -7 -8 -9",
    allowed: { "--format": /^(?:tar|zip)$/ },
    does: "content",
  },
  "bisect start": {
    options: "--no-checkout --first-parent --term-new= --term-old= --term-good= --term-bad=",
    does: "index refs files content",
    hooks: "post-checkout",
  },
  ...mapNames(
    ["bisect good", "bisect bad", "bisect new", "bisect old", "bisect skip", "bisect reset", "bisect next"],
    { options: "", does: "index refs files content", hooks: "post-checkout" },
  ),
  ...mapNames(["bisect log", "bisect terms"], { options: "--term-good --term-bad --term-old --term-new" }),
  branch: {
    options: `${OUTPUT_OPTIONS} ${LISTING} -a --all -r --remotes --no-abbrev --abbrev= -d --delete -D -m --move -M -c --copy -C -f --force --show-current -u= --set-upstream-to= --unset-upstream -t --track? --no-track --create-reflog`,
    does: "refs",
  },
  checkout: {
    options:
      "-b= -B= -q --quiet -f --force -t --track? --no-track -d --detach -m --merge --ours --theirs -2 -3 --orphan= -l --guess --no-guess --progress --no-progress --overlay --no-overlay --conflict= --no-recurse-submodules --overwrite-ignore --no-overwrite-ignore",
    does: ALL_CHANGES,
    hooks: "post-checkout",
  },
  "cherry-pick": { options: PICKING, allowed: STRATEGY_OPTIONS, does: ALL_CHANGES, hooks: MERGE_HOOKS },
  clean: { options: "-f -d -n --dry-run -x -X -q --quiet -e= --exclude=", does: "files" },
  commit: {
    options:
      "-m= --message= -a --all --amend --no-edit -e --edit -q --quiet -s --signoff --no-signoff -n --no-verify --verify --allow-empty --allow-empty-message --date= --author= -C= --reuse-message= --fixup= --squash= -F= --file= --reset-author --dry-run --short --branch --porcelain --long --trailer= -S? --gpg-sign? --no-gpg-sign -o --only -i --include --cleanup= --no-post-rewrite --no-status --status -u? --untracked-files?",
    allowed: FILE_OPTIONS,
    does: "index refs content objects",
    hooks: COMMIT_HOOKS,
  },
  "format-patch": {
    options:
      "--stdout --root --cover-letter --no-cover-letter -n --numbered -N --no-numbered --numbered-files -s --signoff -k --keep-subject " +
      "--subject-prefix= --rfc --thread? --no-thread --in-reply-to= --to= --cc= --from? --base= -p --no-stat --stat? -U= --unified= -M? -C? " +
      "--full-index --binary --zero-commit --no-signature --signature= -q --quiet -w -b --minimal --patience --histogram " +
      "-0 -1 -2 -3 -4 -5 -6 -7 -8 -9 --max-count= --no-notes --no-renames --ignore-if-in-upstream",
    does: "files",
  },
  gc: {
    options:
      "--auto --aggressive --prune? --no-prune -q --quiet --force --keep-largest-pack --cruft --no-cruft",
    does: "refs objects",
  },
  init: { options: "-q --quiet -b= --initial-branch= --object-format= --ref-format=", makes: "first" },
  merge: {
    options: `${MERGE_OPTIONS} -m= --abort --continue --quit -F= --file= --into-name= --overwrite-ignore --no-overwrite-ignore`,
    allowed: { ...STRATEGY_OPTIONS, ...FILE_OPTIONS },
    does: ALL_CHANGES,
    hooks: MERGE_HOOKS,
  },
  mv: { options: "-f --force -k -n --dry-run -v --verbose --sparse", does: "index files", makes: "all" },
  ...mapNames(["notes list", "notes show", "notes get-ref"], { options: "" }),
  ...mapNames(["notes add", "notes append", "notes remove", "notes copy", "notes prune"], {
    options: `${OUTPUT_OPTIONS} -m= --message= -f --force -F= --file= --ignore-missing -n --dry-run --allow-empty -C= --reuse-message=`,
    allowed: FILE_OPTIONS,
    does: "refs",
  }),
  prune: { options: "-n --dry-run -v --verbose --progress --expire=", does: "objects" },
  rebase: {
    options:
      "--onto= --keep-base -q --quiet -v --verbose --abort --continue --skip --quit --autostash --no-autostash -X= --strategy-option= -s= --strategy= --no-verify --verify --no-ff -f --force-rebase --root --fork-point --no-fork-point --stat --no-stat -n -m --merge --apply --autosquash --no-autosquash --update-refs --no-update-refs -r --rebase-merges? --no-rebase-merges --empty= --keep-empty --no-keep-empty --reapply-cherry-picks --no-reapply-cherry-picks --signoff --committer-date-is-author-date --ignore-date --ignore-whitespace --whitespace= -S? --gpg-sign? --no-gpg-sign --allow-empty-message --reset-author-date",
    allowed: STRATEGY_OPTIONS,
    does: ALL_CHANGES,
    hooks: `pre-rebase post-checkout ${PATCH_HOOKS} ${MERGE_HOOKS}`,
  },
  ...mapNames(["reflog", "reflog show"], { does: "diff" }),
  ...mapNames(["reflog expire", "reflog delete", "reflog exists"], {
    options: "--all -n --dry-run --expire= --expire-unreachable= --rewrite --updateref --stale-fix --verbose",
    does: "refs",
  }),
  repack: {
    options:
      "-a -A -d -l -f -F -q --quiet -n -k --keep-unreachable --window= --depth= --cruft -m --write-midx -b --write-bitmap-index",
    does: "objects",
  },
  reset: {
    options:
      "--soft --mixed --hard --merge --keep -q --quiet -N --intent-to-add --refresh --no-refresh --no-recurse-submodules",
    does: "index refs files content merge",
  },
  restore: {
    options:
      "-s= --source= -S --staged -W --worktree -q --quiet --ours --theirs -m --merge -2 -3 --overlay --no-overlay --ignore-unmerged --progress --no-progress --conflict= --no-recurse-submodules --ignore-skip-worktree-bits",
    does: "index files content merge",
    hooks: "post-checkout",
  },
  revert: { options: PICKING, allowed: STRATEGY_OPTIONS, does: ALL_CHANGES, hooks: MERGE_HOOKS },
  rm: {
    options: "-f --force -r -n --dry-run --cached -q --quiet --ignore-unmatch --sparse",
    does: "index files content",
  },
  "sparse-checkout list": { options: "" },
  ...mapNames(["stash push", "stash save", "stash"], {
    options:
      "-u --include-untracked -a --all -k --keep-index --no-keep-index -q --quiet -m= --message= -S --staged",
    does: "index refs files content",
  }),
  ...mapNames(["stash pop", "stash apply"], {
    options: "--index -q --quiet",
    does: "index refs files content merge",
  }),
  "stash branch": { options: "", does: ALL_CHANGES, hooks: "post-checkout" },
  ...mapNames(["stash drop", "stash clear", "stash create", "stash store"], {
    options: "-q --quiet -m= --message=",
    does: "index refs content",
  }),
  ...mapNames(["stash list", "stash show"], { does: "diff" }),
  switch: {
    options:
      "-c= --create= -C= --force-create= -q --quiet -f --force --discard-changes -d --detach -t --track? --no-track -m --merge --orphan= --guess --no-guess --progress --no-progress --conflict= --no-recurse-submodules --overwrite-ignore --no-overwrite-ignore",
    does: ALL_CHANGES,
    hooks: "post-checkout",
  },
  "symbolic-ref": { options: "--short -q --quiet --recurse --no-recurse" },
  tag: {
    options: `${LISTING} -a --annotate -m= --message= -F= --file= -d --delete -f --force -s --sign --no-sign -u= --local-user= -n? -v --verify --cleanup= --create-reflog -e --edit`,
    allowed: FILE_OPTIONS,
    does: "refs",
  },
  "worktree add": {
    options:
      "-b= -B= -d --detach -q --quiet --checkout --no-checkout --track --no-track --guess-remote --no-guess-remote --lock --reason= --orphan",
    does: "refs files content",
    hooks: "post-checkout",
    makes: "first",
  },
  "worktree list": { options: "--porcelain -v --verbose -z" },
  "worktree prune": { options: "-n --dry-run -v --verbose --expire=" },
  ...mapNames(["worktree lock", "worktree unlock"], { options: "--reason=", makes: "first" }),
  "worktree remove": { options: "-f --force", does: "index files content", makes: "first" },
  "worktree move": { options: "", does: "files", makes: "all" },
};
