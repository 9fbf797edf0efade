import { findGitPrograms, type HostProgram, isWithin } from "@haft/workspace/internal/system";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { Repository } from "./repository.ts";
import { worktreesOf } from "./repository.ts";
import { readText } from "./settings-file.ts";
import { readWhole } from "./write/write-in-place.ts";

export interface HeldParts {
  held: string[];
  /** Globs of files of the hook managers that its hooks start. Absolute. */
  patterns: string[];
  /** Its settings cannot be put into a copy: why. All of it is held then. */
  closed?: string;
}

/**
 * What git runs by itself, or what says where that is: hooks, settings of working trees, what leads from one of them to its
 * repository, and what settings and hooks start where commands write.
 */
export async function heldParts(
  { common, top, gitFiles }: Repository,
  git: HostProgram,
  roots: readonly string[],
): Promise<HeldParts> {
  const file = join(common, "config");
  const text = readWhole(file);
  if (text === undefined)
    return { held: [common, ...gitFiles], patterns: [], closed: "its settings are no file" };
  const settings = await readText(git, text);
  if (settings === undefined)
    return { held: [common, ...gitFiles], patterns: [], closed: "its settings cannot be read" };
  const trees = worktreesOf(common);
  const own = [
    join(common, "hooks"),
    join(common, "config.worktree"),
    ...trees.flatMap((tree) => [join(tree, "commondir"), join(tree, "config.worktree")]),
  ];
  const tops = [...new Set([top ?? common, ...gitFiles.map((path) => dirname(path))])];
  const programs = findGitPrograms({ common, tops }, { home: homedir(), env: process.env, roots });
  const isInside = (path: string) => roots.some((root) => path !== root && isWithin(path, root));
  const started = programs.places.filter((path) => isInside(path) && !isWithin(path, common));
  return { held: [...own, ...gitFiles, ...started], patterns: [...programs.patterns] };
}
