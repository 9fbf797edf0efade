import type { HostProgram } from "@haft/workspace/internal/system";
import { isWithin } from "@haft/workspace/internal/system";
import { join } from "node:path";
import { shownPath } from "../../mounts/raw-path.ts";
import { findRepositories } from "./find-repositories.ts";
import type { FoundRepositories, SearchBounds } from "./find-repositories.ts";
import { heldParts } from "./held-parts.ts";
import type { Repository } from "./repository.ts";

/** What git needs of a view, and what is not for commands to change. Real absolute paths. */
export interface GitPlaces {
  /** Folders of git's outside of the roots: of a root that is a linked working tree, or a submodule. */
  writable: string[];
  pinned: string[];
  held: string[];
  /** Globs of files by which hook managers start programs: what comes there is looked at as settings are. Absolute. */
  patterns: string[];
  repositories: Repository[];
  unsearched: string[];
  /** What a person has to know, as sentences. */
  notices: string[];
}

/**
 * Looks for repositories in the folders where commands write.
 *
 * @param git `undefined` where there is none: then all of git's is held
 */
export async function gitPlaces(
  roots: readonly string[],
  git: HostProgram | undefined,
  bounds: SearchBounds = {},
): Promise<GitPlaces> {
  const { unsearched, ...found } = findRepositories(roots, bounds);
  const places = await placesOf(found, roots, git);
  if (unsearched.length > 0) places.notices.push(notSearched(unsearched));
  return { ...places, unsearched };
}

/** What holds these repositories. @param git `undefined` where there is none */
export async function placesOf(
  { repositories, closed }: Pick<FoundRepositories, "repositories" | "closed">,
  roots: readonly string[],
  git: HostProgram | undefined,
): Promise<GitPlaces> {
  const places: GitPlaces = {
    writable: [],
    pinned: [],
    held: [],
    patterns: [],
    repositories: [],
    unsearched: [],
    notices: [],
  };
  const close = (path: string, why: string): void => {
    places.held.push(path);
    places.notices.push(`Commands cannot change ${shownPath(path)}: ${why}.`);
  };
  for (const { path, why } of closed) close(path, why);
  const parts = await Promise.all(
    repositories.map(async (one) =>
      git === undefined
        ? {
            held: [one.common, ...one.gitFiles],
            patterns: [],
            closed: "no git was found to look at its settings with",
          }
        : heldParts(one, git, roots),
    ),
  );
  repositories.forEach((one, at) => {
    const found = parts[at]!;
    places.held.push(...found.held);
    places.patterns.push(...found.patterns);
    if (found.closed !== undefined) {
      places.notices.push(`Commands cannot change ${one.common}: ${found.closed}.`);
      return;
    }
    places.pinned.push(one.common);
    places.repositories.push(one);
    const isInside = roots.some((root) => isWithin(one.common, root));
    const isCovered = places.writable.some((folder) => isWithin(one.common, folder));
    if (!isInside && !isCovered) places.writable.push(one.common);
  });
  places.held = [...new Set(places.held)];
  places.patterns = [...new Set(places.patterns)];
  return places;
}

export function settingsOf({ common }: Repository): string {
  return join(common, "config");
}

const NAMED = 3;

/** Says of folders that commands cannot write there yet. */
export function notSearched(folders: readonly string[]): string {
  const names = folders.slice(0, NAMED).map(shownPath).join(", ");
  const more = folders.length > NAMED ? ` and ${folders.length - NAMED} more folders` : "";
  return `Read-only for commands until they are searched for repositories and settings that start programs: ${names}${more}. The search goes on.`;
}
