import { attempt, PrivateFolder } from "@haft/workspace/internal/system";
import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { statIdentityIn, statsOf } from "../../mounts/stats.ts";
import { commonOf, followGitFile, isGitFolder } from "../git/repository.ts";

/** A repository that a contained command made or brought. */
export interface Came {
  path: string;
  identity: string;
}

/** Repositories that came by contained commands, in any session that keeps its state in the same folder: a file for each. */
export class CameHere {
  readonly #folder: PrivateFolder;

  constructor(folder: string) {
    this.#folder = new PrivateFolder(folder);
  }

  add(paths: readonly string[]): void {
    for (const path of paths) {
      const identity = identityOf(path);
      if (identity !== undefined) this.#folder.replace(nameOf(identity), JSON.stringify({ path, identity }));
    }
  }

  forget(path: string): void {
    const identity = identityOf(path);
    if (identity !== undefined) this.#folder.remove(nameOf(identity));
  }

  /** The repository that git would find from a folder, if it came that way. */
  find(folder: string): Came | undefined {
    const start = attempt(() => realpathSync.native(folder)) ?? folder;
    for (let at = start; ; at = dirname(at)) {
      for (const path of repositoriesAt(at)) {
        const identity = identityOf(path);
        const text = identity === undefined ? undefined : this.#folder.read(nameOf(identity))?.text;
        if (text !== undefined) return JSON.parse(text) as Came;
      }
      if (at === dirname(at)) return undefined;
    }
  }
}

function nameOf(identity: string): string {
  return `${identity.replaceAll(":", "-")}.json`;
}

/** What git would take for a repository in this folder, and what that shares. */
function repositoriesAt(folder: string): string[] {
  const path = join(folder, ".git");
  const own = followGitFile(path) ?? path;
  const found = [own, commonOf(own)].filter((one) => one !== undefined);
  return isGitFolder(folder) ? [...found, folder] : found;
}

function identityOf(path: string): string | undefined {
  const stats = statsOf(path);
  return stats?.isDirectory() === true ? statIdentityIn(stats) : undefined;
}
