import { attempt, isWithin } from "@haft/workspace/internal/system";
import { join } from "node:path";
import { entriesOf } from "../../../mounts/read-folder.ts";
import { realOf } from "../../git/repository.ts";

/** Something that programs start by under the name that it has behind a link. */
export interface BehindLink {
  link: string;
  /** The same by its real path. */
  real: string;
}

/** Files and folders that are looked at behind one link. */
const MOST = 2000;

/** Links by which an ordinary folder gets a name that programs look for: `.github -> docs`, where `docs/hooks` is. */
export class LinkedFolders {
  readonly #roots: readonly string[];
  readonly #links = new Set<string>();

  constructor(roots: readonly string[]) {
    this.#roots = roots;
  }

  add(link: string): void {
    this.#links.add(link);
  }

  #isInside(path: string | undefined): path is string {
    return path !== undefined && this.#roots.some((root) => isWithin(path, root));
  }

  /** @param isWanted does a program start by a file or folder of this path? */
  find(isWanted: (path: string) => boolean): BehindLink[] {
    const found: BehindLink[] = [];
    for (const link of this.#links) {
      if (!this.#isInside(realOf(link))) continue;
      const waiting = [link];
      for (let at = 0; at < waiting.length && at < MOST; at++) {
        const folder = waiting[at]!;
        for (const { name } of attempt(() => entriesOf(folder)) ?? []) {
          const path = join(folder, name);
          const real = isWanted(path) ? realOf(path) : undefined;
          if (this.#isInside(real) && !isWanted(real)) found.push({ link, real });
          else waiting.push(path);
        }
      }
    }
    return found;
  }
}

export function foldersOf(patterns: readonly string[]): string[] {
  const found = patterns.flatMap((pattern) => {
    const ends = [...pattern.matchAll(/\/(?![^{]*\})/g)].map(({ index }) => pattern.slice(0, index));
    return ends.filter((end) => !/^(?:~|\*\*)?$/.test(end) && !end.endsWith("/**"));
  });
  return [...new Set(found)];
}
