import { temporaryName } from "@haft/workspace/internal/system";
import { existsSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

/** Folders that are out of the way, until it is clear whether something else takes their place. */
export class Aside {
  readonly #moved: (readonly [from: string, to: string])[];

  constructor(folders: readonly string[]) {
    this.#moved = folders
      .filter((folder) => existsSync(folder))
      .map((from) => {
        // In the same folder: package managers leave alone what begins with a dot.
        const to = join(dirname(from), temporaryName());
        renameSync(from, to);
        return [from, to];
      });
  }

  putBack(): void {
    for (const [from, to] of this.#moved) {
      rmSync(from, { recursive: true, force: true });
      if (existsSync(to)) renameSync(to, from);
    }
  }

  forget(): void {
    for (const [, to] of this.#moved) rmSync(to, { recursive: true, force: true });
  }
}
