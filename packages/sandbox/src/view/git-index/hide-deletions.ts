import { join } from "node:path";
import { readChangeStamp, formatFileIdentity, entryExists, tryStatEntry } from "../../mounts/stats.ts";
import { changeIndex, type ChangeResult, getHidingChange } from "./change-index.ts";
import {
  findWorkingTree,
  getHashLength,
  isBelowAny,
  nameInIndex,
  pathInTree,
  type WorkingTree,
} from "./working-tree.ts";

export interface HiddenDeletion extends WorkingTree {
  /** Relative to the top of the working tree, one character per byte. */
  name: string;
}

export interface HideResult {
  git: HiddenDeletion;
  isLocked: boolean;
}

interface Tree extends WorkingTree {
  names: Map<string, string>;
  state: string;
}

/** Flag `skip-worktree`: git reports and commits no deletion. */
export class HiddenDeletions {
  readonly #folders: readonly string[];
  readonly #trees = new Map<string, Tree>();

  constructor(folders: readonly string[]) {
    this.#folders = folders;
  }

  /** Returns `undefined` if git does not track the path. Conflicts get our version. */
  hide(path: string): HideResult | undefined {
    const found = findWorkingTree(path, this.#folders);
    if (found === undefined) return undefined;
    const name = nameInIndex(found.top, path);
    if (/(?:^|\/)\.git(?:\/|$)/i.test(name)) return undefined;
    let isTracked = false;
    const result = changeIndex(found.gitFolder, getHashLength(found.common), (entry) => {
      if (!isBelowAny(entry.name, [name])) return undefined;
      isTracked = true;
      return getHidingChange(entry);
    });
    const isLocked = result === "locked";
    return isTracked || isLocked ? { git: { ...found, name }, isLocked } : undefined;
  }

  /** Renews the flags whenever git rewrites the index. */
  register({ name, ...tree }: HiddenDeletion, quarantined: string): void {
    const known = this.#trees.get(tree.gitFolder);
    if (known === undefined)
      this.#trees.set(tree.gitFolder, { ...tree, names: new Map([[name, quarantined]]), state: "" });
    else {
      known.names.set(name, quarantined);
      known.state = "";
    }
  }

  /** Returns true if an index is locked. Unmarks restored files. */
  renew(): boolean {
    let isLocked = false;
    for (const [gitFolder, tree] of this.#trees) {
      for (const [name, quarantined] of tree.names) if (!entryExists(quarantined)) tree.names.delete(name);
      if (tree.names.size === 0) this.#trees.delete(gitFolder);
      else if (renewTree(tree) === "locked") isLocked = true;
    }
    return isLocked;
  }
}

/** Returns false while another git holds the lock. */
export function showToGit({ gitFolder, common, name }: HiddenDeletion): boolean {
  const result = changeIndex(gitFolder, getHashLength(common), (entry) =>
    isBelowAny(entry.name, [name]) && entry.skipWorktree ? "do not skip" : undefined,
  );
  return result !== "locked";
}

function renewTree(tree: Tree): ChangeResult {
  const before = readChangeStamp(join(tree.gitFolder, "index"));
  if (before === tree.state) return "unchanged";
  const result = changeIndex(tree.gitFolder, getHashLength(tree.common), (entry) => {
    if (!isCovered(tree.names, entry.name)) return undefined;
    const isPresent = entryExists(pathInTree(tree.top, entry.name));
    if (!isPresent) return getHidingChange(entry);
    return entry.skipWorktree ? "do not skip" : undefined;
  });
  // The next call checks later changes.
  tree.state = result === "unchanged" ? before : "";
  return result;
}

export function findIndexLock({ gitFolder }: HiddenDeletion): string | undefined {
  const stats = tryStatEntry(join(gitFolder, "index.lock"));
  return stats === undefined ? undefined : `${gitFolder}:${formatFileIdentity(stats)}`;
}

function isCovered(names: ReadonlyMap<string, string>, name: string): boolean {
  if (names.has(name)) return true;
  for (let at = name.lastIndexOf("/"); at > 0; at = name.lastIndexOf("/", at - 1))
    if (names.has(name.slice(0, at))) return true;
  return false;
}
