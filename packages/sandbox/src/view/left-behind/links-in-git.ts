import { attempt } from "@haft/workspace/internal/system";
import { readlinkSync } from "node:fs";
import { join } from "node:path";
import type { TakenOut } from "./clean-repository.ts";
import { FolderWalk } from "./folder-walk.ts";
import type { KeptAside } from "./kept-aside.ts";

const BOUNDS = { entries: 20_000, ms: 100 };
/** Haft's own lock of the settings. */
const OURS = /^haft-\d+-\d*$/;

/**
 * Links in the folder of a repository. Git makes none there, and writes through them: the message of the user's next commit, the
 * index, logs and what was fetched would take the place of the file that a link leads to, wherever that is.
 */
export class LinksInGit {
  readonly #walk: FolderWalk;

  constructor(common: string) {
    this.#walk = new FolderWalk([common]);
  }

  async takeOut(kept: KeptAside, isNew: (path: string) => boolean): Promise<TakenOut[]> {
    const links: string[] = [];
    await this.#walk.walk(BOUNDS, (folder, names) => {
      for (const [name, kind] of names) if (kind === "other") links.push(join(folder, name));
    });
    return links.flatMap((path) => {
      const target = attempt(() => readlinkSync(path));
      if (target === undefined || OURS.test(target) || !isNew(path)) return [];
      const moved = kept.move(path);
      return moved === undefined ? [] : [{ ...moved, why: "git would write where it leads to" }];
    });
  }
}
