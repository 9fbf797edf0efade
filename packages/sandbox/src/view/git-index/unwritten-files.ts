import { basename, dirname, join } from "node:path";
import { formatPaths } from "../../mounts/raw-path.ts";
import { readChangeStamp, tryStatEntry } from "../../mounts/stats.ts";
import { readBackLink, listWorktrees } from "../git/repository.ts";
import { changeIndex, readIndexFile } from "./change-index.ts";
import { readObjectId, readIndex } from "./read-index.ts";
import { getHashLength, isBelowAny, nameInIndex, pathInTree } from "./working-tree.ts";

const MOST_NAMED = 5;

/** Gives entries of mounted files that git could not write their size and times, so that `git commit -a` undoes no change. */
export class UnwrittenFiles {
  readonly #isTouched: (path: string) => boolean;
  readonly #known = new Map<string, Map<string, string>>();
  readonly #states = new Map<string, string>();

  constructor(isTouched: (path: string) => boolean) {
    this.#isTouched = isTouched;
  }

  scan(common: string, mounted: readonly string[]): string[] {
    return [common, ...listWorktrees(common)].flatMap((folder) => {
      const link = readBackLink(folder);
      const top =
        basename(folder) === ".git" ? dirname(folder) : link === undefined ? undefined : dirname(link);
      return top === undefined ? [] : this.#checkTree({ folder, top, hash: getHashLength(common) }, mounted);
    });
  }

  #checkTree(
    { folder, top, hash }: { folder: string; top: string; hash: number },
    mounted: readonly string[],
  ): string[] {
    const names = mounted.flatMap((path) => (path.startsWith(`${top}/`) ? [nameInIndex(top, path)] : []));
    const path = join(folder, "index");
    const state = readChangeStamp(path);
    if (names.length === 0 || this.#states.get(path) === state) return [];
    const index = readIndexFile(folder);
    const read = index && readIndex(index, hash);
    if (index === undefined || read === undefined) return [];
    const now = new Map(
      read.entries
        .filter(({ name, stage }) => stage === 0 && isBelowAny(name, names))
        .map((entry) => [entry.name, readObjectId(index, entry)]),
    );
    const before = this.#known.get(path);
    const isTouched = this.#isTouched(path);
    const changed = [...now].filter(
      ([name, object]) => before?.has(name) === true && before.get(name) !== object,
    );
    const wanted = new Set(isTouched ? changed.map(([name]) => name) : []);
    const result =
      wanted.size === 0
        ? "unchanged"
        : changeIndex(folder, hash, ({ name, stage }) => {
            const stats = wanted.has(name) && stage === 0 ? fileAt(top, name) : undefined;
            return stats === undefined ? undefined : { stats };
          });
    if (result === "locked") return [];
    this.#known.set(path, now);
    this.#states.set(path, readChangeStamp(path));
    if (result !== "done") return [];
    const files = [...wanted].map((name) => pathInTree(top, name));
    return [
      `Git could not write ${formatPaths(files, MOST_NAMED)} while commands ran, so the earlier version remains. Git does not report it as changed. To get the version of the branch, a person removes the file and runs git checkout -- PATH.`,
    ];
  }
}

function fileAt(top: string, name: string) {
  const stats = tryStatEntry(pathInTree(top, name));
  return stats?.isFile() === true ? stats : undefined;
}
