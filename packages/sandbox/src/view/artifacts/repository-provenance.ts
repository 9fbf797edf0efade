import { attempt, PrivateFolder } from "@haft/system";
import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { formatFileIdentity, tryStatEntry } from "../../mounts/stats.ts";
import { findCommonFolder, followGitFile, isGitFolder } from "../git/repository.ts";
import { readRegularBytes } from "../git/write/overwrite-settings.ts";

export interface ProvenanceRecord {
  path: string;
  identity: string;
}

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

  /** Searches like git. */
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

function repositoriesAt(folder: string): string[] {
  const path = join(folder, ".git");
  const gitFolder = followGitFile(path) ?? path;
  const found = [gitFolder, findCommonFolder(gitFolder)].filter((one) => one !== undefined);
  return isGitFolder(folder) ? [...found, folder] : found;
}

function identityOf(path: string): string | undefined {
  const stats = tryStatEntry(path);
  return stats?.isDirectory() === true ? formatFileIdentity(stats) : undefined;
}

/** Lines that only state the origin. */
const WHERE_FROM =
  /^(?:\s*(?:[#;].*)?\n)*(?:\[paths\]\n(?:\s*(?:[#;].*)?\n|default(?:-push)? = (?:https?|ssh):\/\/[A-Za-z\d][\w.@:/~%+-]*\n)*)?$/;

export function isHarmlessFile(path: string): boolean {
  return (
    basename(path) === "hgrc" && WHERE_FROM.test(`${readRegularBytes(path)?.toString("latin1") ?? "?"}\n`)
  );
}
