import { join } from "node:path";
import { formatPaths } from "../../mounts/raw-path.ts";
import { readChangeStamp, entryExists } from "../../mounts/stats.ts";
import { changeIndex, getHidingChange, readEntries } from "./change-index.ts";
import {
  findWorkingTree,
  getHashLength,
  isBelowAny,
  nameInIndex,
  pathInTree,
  type WorkingTree,
} from "./working-tree.ts";

interface Tree extends WorkingTree {
  tracked: Set<string>;
  told: Set<string>;
  state: string;
}

const MOST_NAMED = 5;

/** `skip-worktree` prevents that `git reset --hard` overwrites, or `git commit -a` includes, a hidden file whose name commands added. */
export class UntrackedSecrets {
  readonly #hidden: readonly string[];
  readonly #folders: readonly string[];
  readonly #isTouched: (path: string) => boolean;
  readonly #trees = new Map<string, Tree>();

  constructor(hidden: readonly string[], folders: readonly string[], isTouched: (path: string) => boolean) {
    this.#hidden = hidden;
    this.#folders = folders;
    this.#isTouched = isTouched;
    for (const { tree, names } of this.#found()) this.#add(tree, names, true);
  }

  scan(): string[] {
    return this.#found().flatMap(({ tree, names }) => {
      const isTouched = this.#isTouched(join(tree.gitFolder, "index"));
      const known = this.#trees.get(tree.gitFolder) ?? this.#add(tree, names, !isTouched);
      const state = indexStamp(tree);
      if (known.state === state) return [];
      if (!isTouched) {
        for (const name of trackedIn(tree, names)) if (!known.told.has(name)) known.tracked.add(name);
        known.state = state;
        return [];
      }
      return checkTree(known, names);
    });
  }

  #found(): { tree: WorkingTree; names: string[] }[] {
    const found = new Map<string, { tree: WorkingTree; names: string[] }>();
    for (const path of this.#hidden) {
      const tree = findWorkingTree(path, this.#folders);
      if (tree === undefined) continue;
      const one = found.get(tree.gitFolder) ?? { tree, names: [] };
      one.names.push(nameInIndex(tree.top, path));
      found.set(tree.gitFolder, one);
    }
    return [...found.values()];
  }

  #add(tree: WorkingTree, names: readonly string[], isOfUser: boolean): Tree {
    const tracked = new Set(isOfUser ? trackedIn(tree, names) : []);
    const known = { ...tree, tracked, told: new Set<string>(), state: "" };
    this.#trees.set(tree.gitFolder, known);
    return known;
  }
}

function checkTree(tree: Tree, names: readonly string[]): string[] {
  const before = indexStamp(tree);
  const found = new Set<string>();
  const result = changeIndex(tree.gitFolder, getHashLength(tree.common), (entry) => {
    if (entry.intentToAdd || tree.tracked.has(entry.name) || !isBelowAny(entry.name, names)) return undefined;
    if (!entryExists(pathInTree(tree.top, entry.name))) return undefined;
    found.add(entry.name);
    return getHidingChange(entry);
  });
  tree.state = result === "unchanged" ? before : "";
  if (result !== "done" && result !== "unchanged") return [];
  const fresh = [...found].filter((name) => !tree.told.has(name));
  for (const name of fresh) tree.told.add(name);
  if (fresh.length === 0) return [];
  const paths = fresh.map((name) => pathInTree(tree.top, name));
  return [
    `Git tracks ${formatPaths(paths, MOST_NAMED)} since a command ran, although commands cannot read it. The index and commits of commands can contain other content under that name. The file itself is unchanged, and the flag skip-worktree makes git leave it alone. Do not remove that flag. To end this, a person runs git update-index --force-remove PATH and commits.`,
  ];
}

/** Entries with a flag or without content are untracked. */
function trackedIn({ gitFolder, common }: WorkingTree, names: readonly string[]): string[] {
  return readEntries(gitFolder, common)
    .filter((one) => isBelowAny(one.name, names) && !one.skipWorktree && !one.intentToAdd)
    .map(({ name }) => name);
}

function indexStamp({ gitFolder }: WorkingTree): string {
  return readChangeStamp(join(gitFolder, "index"));
}
