import { mapNames } from "../../words/map-names.ts";
import { CHANGING_COMMANDS } from "./changing-commands.ts";
import type { GitCommand } from "./git-command.ts";
import { READ_ONLY_COMMANDS } from "./read-only-commands.ts";
import {
  ALL_CHANGES,
  MERGE_HOOKS,
  MERGE_OPTIONS,
  PATCH_HOOKS,
  STRATEGY_OPTIONS,
  OUTPUT_OPTIONS,
} from "./shared-options.ts";

const FAMILIES = new Set("bisect bundle notes reflog remote sparse-checkout stash worktree".split(" "));

/** Returns the facts about a command, and its name here: `worktree add`. `undefined` for unknown commands. */
export function findGitCommand(
  name: string,
  first: string | undefined,
): { name: string; command: GitCommand; isFamily: boolean } | undefined {
  const isSub = FAMILIES.has(name) && first !== undefined && !first.startsWith("-");
  const full = isSub ? `${name} ${first}` : name;
  const table = [CHANGING_COMMANDS, EXCHANGING, READ_ONLY_COMMANDS].find((one) => Object.hasOwn(one, full));
  const command = table?.[full];
  return command === undefined ? undefined : { name: full, command, isFamily: isSub };
}

const FETCHING =
  "--all -p --prune -P --prune-tags -t --tags --no-tags -q --quiet -v --verbose --depth= --deepen= --unshallow " +
  "--shallow-since= --shallow-exclude= --update-shallow -f --force -k --keep -a --append --atomic --dry-run -j= --jobs= --progress " +
  "--no-progress -4 --ipv4 -6 --ipv6 --no-recurse-submodules --set-upstream --refmap= --show-forced-updates --no-show-forced-updates";

const EXCHANGING: Readonly<Record<string, GitCommand>> = {
  "bundle create": { options: "-q --quiet --progress --all --branches? --tags? --version=", makes: "first" },
  ...mapNames(["bundle verify", "bundle list-heads"], { options: "-q --quiet", reads: "first" }),
  clone: {
    options: `${OUTPUT_OPTIONS} --depth= -b= --branch= -n --no-checkout --single-branch --no-single-branch --no-tags --progress -o= --origin= --filter= --sparse --shallow-since= --shallow-exclude= -j= --jobs= -4 --ipv4 -6 --ipv6 --no-local --no-hardlinks --no-shallow-submodules`,
    does: "files content",
    hooks: "post-checkout",
    makes: "second",
    exchanges: "clone",
  },
  fetch: {
    options: `${FETCHING} -n -m --multiple --no-auto-maintenance --no-auto-gc --porcelain --no-write-fetch-head --write-fetch-head`,
    does: "refs objects",
    exchanges: "fetch",
  },
  "ls-remote": {
    options: "-h --heads --branches -t --tags --refs -q --quiet --exit-code --get-url --sort= --symref",
    exchanges: "fetch",
  },
  pull: {
    options: `${FETCHING} ${MERGE_OPTIONS} -r --rebase? --no-rebase`,
    allowed: { ...STRATEGY_OPTIONS, "--rebase": /^(?:|true|false|merges)$/ },
    does: ALL_CHANGES,
    hooks: `${MERGE_HOOKS} pre-rebase post-checkout ${PATCH_HOOKS}`,
    exchanges: "fetch",
  },
  push: {
    options:
      "-u --set-upstream -f --force --force-with-lease? --no-force-with-lease --force-if-includes --tags --follow-tags --no-follow-tags --all --branches --mirror -d --delete -n --dry-run --prune -q --quiet -v --verbose --no-verify --verify --atomic --porcelain --progress --no-progress --thin --no-thin -o= --push-option= --no-recurse-submodules --no-signed -4 --ipv4 -6 --ipv6",
    does: "refs",
    hooks: "pre-push",
    exchanges: "push",
  },
  remote: { options: "-v --verbose" },
  "remote get-url": { options: "--push --all" },
  "remote add": { options: "-t= --track= -m= --master= --tags --no-tags", address: 1, does: "refs" },
  "remote set-url": { options: "--push --add", address: 1 },
  "remote set-branches": { options: "--add", does: "refs" },
  ...mapNames(["remote remove", "remote rm", "remote rename"], {
    options: "--progress --no-progress",
    does: "refs",
  }),
  "remote set-head": { options: "-a --auto -d --delete", exchanges: "fetch", does: "refs" },
  ...mapNames(["remote show", "remote prune"], {
    options: "-n --dry-run -v --verbose",
    exchanges: "fetch",
    does: "refs",
  }),
  "remote update": { options: "-p --prune -v --verbose", exchanges: "all", does: "refs objects" },
};
