import { escapeGlob } from "@haft/workspace";
import { findGitPrograms, isWithin } from "@haft/workspace/internal/system";
import { homedir } from "node:os";
import { dirname, join, relative } from "node:path";

/** Nothing can exist there. Deep enough for a relative path that leads upwards. */
const NOWHERE = "/proc/self/haft/1/2/3/4/5/6/7/8";

/** Hooks that the settings of the user and of the machine name by a relative path: git looks for them in each working tree. */
export interface HooksOfUser {
  patterns: readonly string[];
  haveChanged(): boolean;
}

export function hooksOfUser(): HooksOfUser {
  const common = join(NOWHERE, ".git");
  const { places, stamps } = findGitPrograms(
    { common, tops: [NOWHERE] },
    { home: homedir(), env: process.env, roots: [] },
  );
  const patterns = places
    .filter(
      (path) => isWithin(path, "/proc/self/haft") && !isWithin(path, common) && !isWithin(NOWHERE, path),
    )
    .map((path) => `**/${escapeGlob(relative(sharedFolder(path), path))}`);
  return { patterns: [...new Set(patterns)], haveChanged: () => stamps.haveChanged() };
}

function sharedFolder(path: string): string {
  let folder = NOWHERE;
  while (!isWithin(path, folder)) folder = dirname(folder);
  return folder;
}
