import { attempt, PrivateFolder } from "@haft/system";
import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { formatFileIdentity, tryStatEntry } from "../../mounts/stats.ts";
import { findCommonFolder, followGitFile, isGitFolder } from "../git/repository.ts";
import { readRegularBytes } from "../git/write/overwrite-settings.ts";

/** A repository that a contained command made or brought. */
export interface ProvenanceRecord {
  path: string;
  identity: string;
}

/** Repositories that came by contained commands, in any session that keeps its state in the same folder: a file for each. */
export class RepositoryProvenance {
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
  find(folder: string): ProvenanceRecord | undefined {
    const start = attempt(() => realpathSync.native(folder)) ?? folder;
    for (let at = start; ; at = dirname(at)) {
      for (const path of repositoriesAt(at)) {
        const identity = identityOf(path);
        const text = identity === undefined ? undefined : this.#folder.read(nameOf(identity))?.text;
        if (text !== undefined) return JSON.parse(text) as ProvenanceRecord;
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
  const found = [own, findCommonFolder(own)].filter((one) => one !== undefined);
  return isGitFolder(folder) ? [...found, folder] : found;
}

function identityOf(path: string): string | undefined {
  const stats = tryStatEntry(path);
  return stats?.isDirectory() === true ? formatFileIdentity(stats) : undefined;
}

/** Lines of an hgrc that only say where a repository came from. */
const WHERE_FROM =
  /^(?:\s*(?:[#;].*)?\n)*(?:\[paths\]\n(?:\s*(?:[#;].*)?\n|default(?:-push)? = (?:https?|ssh):\/\/[A-Za-z\d][\w.@:/~%+-]*\n)*)?$/;

/** A file as `hg clone` leaves it, which says where the repository came from and starts no program. */
export function isHarmlessFile(path: string): boolean {
  return (
    basename(path) === "hgrc" && WHERE_FROM.test(`${readRegularBytes(path)?.toString("latin1") ?? "?"}\n`)
  );
}
