import type { HostProgram } from "@haft/workspace/internal/system";
import { isWithin } from "@haft/workspace/internal/system";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { harmlessKey } from "./harmless.ts";
import type { Repository } from "./repository.ts";
import { isFile, isFolder, realOf, worktreesOf } from "./repository.ts";
import type { Settings } from "./settings-file.ts";
import { readSettings } from "./settings-file.ts";
import { readWhole } from "./write-in-place.ts";

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
  if (readWhole(file) === undefined)
    return { held: [common, ...gitFiles], closed: "its settings are no file" };
  const settings = await readSettings(git, file);
  if (settings === undefined) return { held: [common, ...gitFiles], closed: "its settings cannot be read" };
  const trees = worktreesOf(common);
  const own = [
    join(common, "hooks"),
    join(common, "config.worktree"),
    ...trees.flatMap((tree) => [join(tree, "commondir"), join(tree, "config.worktree")]),
  ];
  return {
    held: [...own, ...gitFiles, ...namedIn(settings, top ?? common, roots)],
  };
}

/** Files and folders where commands write that settings name which are not known to be harmless. */
function namedIn(settings: Settings, top: string, roots: readonly string[]): string[] {
  const found = new Set<string>();
  for (const [key, values] of settings) {
    if (NO_PROGRAM.test(key) || harmlessKey(key, values, { top, roots }) !== undefined) continue;
    for (const value of values) {
      for (const path of pathsIn(value, top)) {
        const real = realOf(path);
        if (real === undefined || !roots.some((root) => real !== root && isWithin(real, root))) continue;
        if (isFile(real) || (key === "core.hookspath" && isFolder(real))) found.add(real);
      }
    }
  }
  return [...found];
}

/** Paths that are no programs. */
const NO_PROGRAM =
  /^(?:core\.(?:worktree|excludesfile|attributesfile)|remote\..*|branch\..*|submodule\..*)$/s;

/** A whole value may be a path with spaces; the words of a command line are, too. */
function pathsIn(value: string, top: string): string[] {
  const words = value.split(/[\s'"`;|&()<>=]+/).filter((word) => word.length > 0 && word.length <= 4096);
  return [value, ...words].map((word) =>
    word.startsWith("~/") ? join(homedir(), word.slice(2)) : resolve(top, word.replace(/^!/, "")),
  );
}
