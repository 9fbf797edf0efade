import { attempt, PrivateFolder } from "@haft/workspace/internal/system";
import { lstatSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { commonOf, followGitFile, isGitFolder } from "../git/repository.ts";

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

function repositoriesAt(folder: string): string[] {
  const path = join(folder, ".git");
  const own = followGitFile(path) ?? path;
  const found = [own, commonOf(own)].filter((one) => one !== undefined);
  return isGitFolder(folder) ? [...found, folder] : found;
}

/** Of one folder for as long as it is there, whatever it is called; another one that gets its number is of another time. */
function identityOf(path: string): string | undefined {
  const stats = attempt(() => lstatSync(path, { bigint: true }));
  return stats?.isDirectory() === true ? `${stats.dev}:${stats.ino}:${stats.birthtimeNs}` : undefined;
}
