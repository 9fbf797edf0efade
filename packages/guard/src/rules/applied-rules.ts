import { makeFolder } from "@haft/utils";
import { hash } from "node:crypto";
import { existsSync, lstatSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Records which files with rules were in force, so that a removal is noticed. Each has a small file, named by its path, so that hooks that
 * run at once do not overwrite each other's records.
 *
 * @example
 * ```ts
 * import { AppliedRules, guardFolder } from "@haft/guard/internal/agents";
 * const folder = guardFolder();
 * const missing = folder === undefined ? [] : new AppliedRules(folder).findMissing(["/etc/agent/policy.yaml"]);
 * ```
 */
export class AppliedRules {
  readonly #folder: string;
  readonly #guard: string;

  /** @param folder The folder of the guard: `guardFolder()`. */
  constructor(folder: string) {
    this.#guard = folder;
    this.#folder = join(folder, "in-force");
  }

  /** Returns those of the paths that were in force and do not exist now. */
  findMissing(places: readonly string[]): string[] {
    if (!existsSync(this.#folder)) return [];
    return [...new Set(places)].filter((path) => existsSync(this.#file(path)) && !isThere(path));
  }

  /** Records that these files are in force. It does nothing where the folder cannot be written; a removal is not noticed then. */
  record(paths: readonly string[]): void {
    for (const path of paths) {
      const file = this.#file(path);
      if (existsSync(file)) continue;
      try {
        makeFolder(this.#folder, 0o700);
        writeFileSync(file, path, { mode: 0o600 });
      } catch {
        return;
      }
    }
  }

  /** Removes the records of these files, and the cached rules. Returns those that were recorded. */
  forget(paths: readonly string[]): string[] {
    const known = paths.filter((path) => existsSync(this.#file(path)));
    for (const path of known) rmSync(this.#file(path), { force: true });
    // What was read with them says that they are missed.
    const kept = known.length > 0 ? readdirSync(this.#guard) : [];
    for (const name of kept) if (name.startsWith("rules-")) rmSync(join(this.#guard, name), { force: true });
    return known;
  }

  #file(path: string): string {
    return join(this.#folder, hash("sha256", path).slice(0, 32));
  }
}

/** A link that leads nowhere is there: what it names is missed by whoever reads it. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
