import { attempt, findGitPrograms, isWithin } from "@haft/workspace/internal/system";
import { lstatSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, relative } from "node:path";
import { nativePath } from "../../mounts/raw-path.ts";
import { entriesOf } from "../../mounts/read-folder.ts";
import { backLink, realOf, worktreesOf } from "../git/repository.ts";
import { readWhole } from "../git/write/write-in-place.ts";
import type { KeptAside } from "../quarantine/kept-aside.ts";
import type { IsNew, TakenOut } from "./clean-repository.ts";

const MOST = 500;

/**
 * Hooks, and what they start, that the settings say are in the working tree itself (`core.hooksPath=.husky`): in each linked working
 * tree git takes those of that tree. A file that a command made there and that is not as in the main working tree is taken out.
 */
export class HooksOfTrees {
  readonly #common: string;
  readonly #roots: readonly string[];

  constructor(common: string, roots: readonly string[]) {
    this.#common = common;
    this.#roots = roots;
  }

  takeOut(kept: KeptAside, isNew: IsNew): TakenOut[] {
    const trees = worktreesOf(this.#common).flatMap((tree) => backLink(tree) ?? []);
    const inside = trees
      .map((path) => realOf(dirname(path)))
      .filter((top) => top !== undefined && this.#roots.some((root) => isWithin(top, root)));
    return inside.flatMap((top) => this.#takeOutOf(top!, kept, isNew));
  }

  #takeOutOf(top: string, kept: KeptAside, isNew: IsNew): TakenOut[] {
    const main = dirname(this.#common);
    const ground = { home: homedir(), env: process.env, roots: [] };
    const { places } = findGitPrograms({ common: this.#common, tops: [top] }, ground);
    const own = places.filter((path) => path !== top && isWithin(path, top));
    const strange = own
      .flatMap(filesIn)
      .filter((path) => isNew(path, top) && !isSame(path, join(main, relative(top, path))));
    return [...new Set(strange)].flatMap((path) => {
      const moved = kept.move(path);
      return moved === undefined ? [] : [{ ...moved, why: "git runs it by itself in that working tree" }];
    });
  }
}

function filesIn(folder: string): string[] {
  const found: string[] = [];
  const waiting = [folder];
  while (waiting.length > 0 && found.length < MOST) {
    const at = waiting.shift()!;
    const stats = attempt(() => lstatSync(nativePath(at)));
    if (stats !== undefined && !stats.isDirectory()) found.push(at);
    else
      for (const one of attempt(() => entriesOf(at)) ?? [])
        (one.isDirectory() ? waiting : found).push(join(at, one.name));
  }
  return found;
}

function isSame(path: string, other: string): boolean {
  const [one, two] = [readWhole(path), readWhole(other)];
  return one !== undefined && two !== undefined && one.equals(two);
}
