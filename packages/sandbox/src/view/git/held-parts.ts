import type { HostProgram } from "@haft/workspace/internal/system";
import { isWithin } from "@haft/workspace/internal/system";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { harmlessKey } from "./harmless.ts";
import type { Repository } from "./repository.ts";
import { isFile, isFolder, realOf, worktreesOf } from "./repository.ts";
import type { Settings } from "./settings-file.ts";
import { readSettings, readText } from "./settings-file.ts";
import { readWhole } from "./write/write-in-place.ts";

/** What of a repository stays as it is; what is not there yet is held once it is. */
export interface HeldParts {
  held: string[];
  /** Its settings cannot be put into a copy: why. All of it is held then. */
  closed?: string;
}

/**
 * What git runs by itself, or what says where that is: hooks, settings of working trees, what leads from one of them to its
 * repository, and programs and hooks in a working tree that settings name.
 */
export async function heldParts(
  { common, top, gitFiles }: Repository,
  git: HostProgram,
  roots: readonly string[],
): Promise<HeldParts> {
  const file = join(common, "config");
  const text = readWhole(file);
  if (text === undefined) return { held: [common, ...gitFiles], closed: "its settings are no file" };
  const settings = await readText(git, text);
  if (settings === undefined) return { held: [common, ...gitFiles], closed: "its settings cannot be read" };
  const trees = worktreesOf(common);
  const own = [
    join(common, "hooks"),
    join(common, "config.worktree"),
    ...trees.flatMap((tree) => [join(tree, "commondir"), join(tree, "config.worktree")]),
  ];
  const tops = [...new Set([top ?? common, ...gitFiles.map((path) => dirname(path))])];
  const named = new Named(git, tops, roots);
  await named.lookAt(file, settings);
  return { held: [...own, ...gitFiles, ...named.found] };
}

const INCLUDE = /^include(?:if\..*)?\.path$/s;
/** As git. */
const MOST_INCLUDES = 10;

/** Files and folders where commands write that settings name which are not known to be harmless. */
class Named {
  readonly found = new Set<string>();
  readonly #git: HostProgram;
  readonly #tops: readonly string[];
  readonly #roots: readonly string[];

  /** @param tops of all working trees: git takes hooks from the one it works in */
  constructor(git: HostProgram, tops: readonly string[], roots: readonly string[]) {
    this.#git = git;
    this.#tops = tops;
    this.#roots = roots;
  }

  async lookAt(file: string, settings: Settings, depth = 0): Promise<void> {
    for (const [key, values] of settings) {
      if (INCLUDE.test(key)) {
        for (const value of values) await this.#include(fromFolder(value, dirname(file)), depth + 1);
        continue;
      }
      if (NO_PROGRAM.test(key)) continue;
      for (const top of this.#tops) {
        if (harmlessKey(key, values, { top, roots: this.#roots }) !== undefined) continue;
        for (const value of values) this.#program(key, value, top);
      }
    }
  }

  /** Relative to the file that names it, unlike all others. One that is not there is held once it is. */
  async #include(path: string, depth: number): Promise<void> {
    const real = realOf(path) ?? path;
    if (this.#isInside(real)) this.found.add(real);
    if (this.#isInside(path)) this.found.add(path);
    if (depth > MOST_INCLUDES) return;
    const settings = isFile(real) ? await readSettings(this.#git, real) : undefined;
    if (settings !== undefined) await this.lookAt(path, settings, depth);
  }

  #program(key: string, value: string, top: string): void {
    const isHooks = key === "core.hookspath";
    if (isHooks && this.#isInside(fromFolder(value, top))) this.found.add(fromFolder(value, top));
    for (const path of pathsIn(value, top)) {
      const real = realOf(path);
      if (real !== undefined && this.#isInside(real) && (isFile(real) || (isHooks && isFolder(real))))
        this.found.add(real);
    }
  }

  #isInside(path: string): boolean {
    return this.#roots.some((root) => path !== root && isWithin(path, root));
  }
}

/** Paths that are no programs. */
const NO_PROGRAM =
  /^(?:core\.(?:worktree|excludesfile|attributesfile)|remote\..*|branch\..*|submodule\..*)$/s;

/** A whole value may be a path with spaces; the words of a command line are, too. */
function pathsIn(value: string, top: string): string[] {
  const words = value.split(/[\s'"`;|&()<>=]+/).filter((word) => word.length > 0 && word.length <= 4096);
  return [value, ...words].map((word) => fromFolder(word.replace(/^!/, ""), top));
}

function fromFolder(path: string, folder: string): string {
  return path.startsWith("~/") ? join(homedir(), path.slice(2)) : resolve(folder, path);
}
