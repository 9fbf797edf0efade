import { attempt, isWithin } from "@haft/workspace/internal/system";
import { join, sep } from "node:path";
import { entriesOf } from "../../mounts/read-folder.ts";
import { realOf } from "../git/repository.ts";

const OF_PACKAGES: ReadonlySet<string> = new Set(["node_modules", "site-packages"]);
/** Files and folders that are looked at behind one link. */
const MOST = 2000;

/**
 * Folders of installed packages. Many packages contain settings of editors and agents, some as templates that they need. Nobody opens
 * such a folder as a project, and an installed package runs code anyway when it is used. So its settings stay, unless a link makes
 * the folder a part of the project.
 */
export class InstalledPackages {
  readonly #roots: readonly string[];
  readonly #links = new Set<string>();

  constructor(roots: readonly string[]) {
    this.#roots = roots;
  }

  contain(path: string): boolean {
    const root = this.#roots.find((one) => isWithin(path, one));
    if (root === undefined) return false;
    return path
      .slice(root.length)
      .split(sep)
      .some((name) => OF_PACKAGES.has(name));
  }

  /** A link outside of those folders. */
  lookAtLink(link: string): void {
    const target = realOf(link);
    // A target that does not exist yet may come later. Another link on the way there is looked at by itself.
    if (target === undefined || this.contain(target)) this.#links.add(link);
  }

  foundByLinks(isWanted: (path: string) => boolean): string[] {
    const found = new Set<string>();
    for (const link of this.#links) {
      const target = realOf(link);
      if (target === undefined || !this.contain(target)) continue;
      const waiting = [target];
      for (let at = 0; at < waiting.length && at < MOST; at++) {
        for (const entry of attempt(() => entriesOf(waiting[at]!)) ?? []) {
          const path = join(waiting[at]!, entry.name);
          if (isWanted(path)) found.add(path);
          else if (entry.isDirectory() && !OF_PACKAGES.has(entry.name)) waiting.push(path);
        }
      }
    }
    return [...found];
  }
}
