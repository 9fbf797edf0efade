import type { HostProgram } from "@haft/workspace/internal/system";
import { attempt, isWithin } from "@haft/workspace/internal/system";
import { lstatSync, readdirSync } from "node:fs";
import { dirname, isAbsolute, join, relative } from "node:path";
import { backLink, realOf, worktreesOf } from "../git/repository.ts";
import { readSettings } from "../git/settings-file.ts";
import { readWhole } from "../git/write/write-in-place.ts";
import type { TakenOut } from "./clean-repository.ts";
import type { KeptAside } from "./kept-aside.ts";

/** Files of hooks that are looked at in one working tree. */
const MOST = 500;

/**
 * Hooks that the settings say are in the working tree itself (`core.hooksPath=.husky`): in each linked working tree git takes those
 * of that tree. What is in one that a command made and is not as in the held folder is taken out.
 */
export class HooksOfTrees {
  readonly #common: string;
  readonly #roots: readonly string[];
  readonly #git: HostProgram | undefined;
  /** As they were when the view was opened: what changes later is the user's, and commands cannot change it. */
  #folder: Promise<string | undefined> | undefined;

  constructor(common: string, roots: readonly string[], git: HostProgram | undefined) {
    this.#common = common;
    this.#roots = roots;
    this.#git = git;
  }

  async takeOut(kept: KeptAside, isNew: (path: string) => boolean): Promise<TakenOut[]> {
    const trees = worktreesOf(this.#common).flatMap((tree) => backLink(tree) ?? []);
    const inside = trees
      .map((path) => realOf(dirname(path)))
      .filter((top) => top !== undefined && this.#roots.some((root) => isWithin(top, root)));
    if (inside.length === 0) return [];
    const folder = await (this.#folder ??= this.#relativeFolder());
    if (folder === undefined) return [];
    const known = join(dirname(this.#common), folder);
    return inside.flatMap((top) => {
      const from = join(top!, folder);
      const strange = filesIn(from).filter(
        (path) => isNew(path) && !isSame(path, join(known, relative(from, path))),
      );
      return strange.flatMap((path) => {
        const moved = kept.move(path);
        return moved === undefined ? [] : [{ ...moved, why: "git runs it by itself in that working tree" }];
      });
    });
  }

  async #relativeFolder(): Promise<string | undefined> {
    if (this.#git === undefined) return undefined;
    const settings = await readSettings(this.#git, join(this.#common, "config"));
    const path = settings?.get("core.hookspath")?.at(-1);
    return path === undefined || isAbsolute(path) || path.startsWith("~") ? undefined : path;
  }
}

function filesIn(folder: string): string[] {
  const found: string[] = [];
  const waiting = [folder];
  while (waiting.length > 0 && found.length < MOST) {
    const at = waiting.shift()!;
    if (attempt(() => lstatSync(at).isSymbolicLink()) === true) found.push(at);
    else
      for (const one of attempt(() => readdirSync(at, { withFileTypes: true })) ?? [])
        (one.isDirectory() ? waiting : found).push(join(at, one.name));
  }
  return found;
}

function isSame(path: string, other: string): boolean {
  const [one, two] = [readWhole(path), readWhole(other)];
  return one !== undefined && two !== undefined && one.equals(two);
}
