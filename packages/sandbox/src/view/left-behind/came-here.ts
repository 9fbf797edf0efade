import { attempt, PrivateFolder } from "@haft/workspace/internal/system";
import { lstatSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { commonOf, followGitFile, isGitFolder } from "../git/repository.ts";

/** A repository that a contained command made or brought. */
export interface Came {
  /** Its folder, as it was called then. */
  path: string;
  identity: string;
}

const NAME = "repositories.json";
/** The oldest are forgotten beyond. */
const MOST = 5000;

/** Repositories that came by contained commands, in any session that keeps its state in the same folder. */
export class CameHere {
  readonly #folder: PrivateFolder;

  constructor(folder: string) {
    this.#folder = new PrivateFolder(folder);
  }

  add(paths: readonly string[]): void {
    const added = paths.flatMap((path) => {
      const identity = identityOf(path);
      return identity === undefined ? [] : [{ path, identity }];
    });
    if (added.length === 0) return;
    const known = this.#all().filter(({ identity }) => !added.some((one) => one.identity === identity));
    this.#folder.replace(NAME, JSON.stringify([...known, ...added].slice(-MOST)));
  }

  /** A person wants it to be as any other. */
  forget(path: string): void {
    const left = this.#all().filter((one) => one.identity !== identityOf(path));
    this.#folder.replace(NAME, JSON.stringify(left));
  }

  /** The one that git would find from a folder, if it came that way. */
  find(folder: string): Came | undefined {
    const all = new Map(this.#all().map((one) => [one.identity, one]));
    if (all.size === 0) return undefined;
    const start = attempt(() => realpathSync.native(folder)) ?? folder;
    for (let at = start; ; at = dirname(at)) {
      const found = repositoriesAt(at).flatMap((path) => all.get(identityOf(path) ?? "") ?? []);
      if (found[0] !== undefined) return found[0];
      if (at === dirname(at)) return undefined;
    }
  }

  #all(): Came[] {
    return attempt(() => JSON.parse(this.#folder.read(NAME)?.text ?? "[]") as Came[]) ?? [];
  }
}

/** What git would take for a repository in this folder, and what that shares. */
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
