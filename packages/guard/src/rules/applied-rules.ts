import { makeFolder } from "@haft/utils";
import { hash } from "node:crypto";
import { existsSync, lstatSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Records which rule files were in force, to notice a removal. Each file has one record, so parallel hooks do not overwrite each other.
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

  constructor(folder: string) {
    this.#guard = folder;
    this.#folder = join(folder, "in-force");
  }

  findMissing(paths: readonly string[]): string[] {
    if (!existsSync(this.#folder)) return [];
    return [...new Set(paths)].filter((path) => existsSync(this.#file(path)) && !isThere(path));
  }

  /** In a read-only folder, a removal is not noticed. */
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

  /** Also removes cached rules. Returns the recorded paths. */
  forget(paths: readonly string[]): string[] {
    const known = paths.filter((path) => existsSync(this.#file(path)));
    for (const path of known) rmSync(this.#file(path), { force: true });
    // The cache contains notes about missing files.
    const cached = known.length > 0 ? readdirSync(this.#guard) : [];
    for (const name of cached)
      if (name.startsWith("rules-")) rmSync(join(this.#guard, name), { force: true });
    return known;
  }

  #file(path: string): string {
    return join(this.#folder, hash("sha256", path).slice(0, 32));
  }
}

/** Reading a broken link reports the problem. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
