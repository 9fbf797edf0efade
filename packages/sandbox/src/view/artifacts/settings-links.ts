import { attempt, isWithin } from "@haft/system";
import { readlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { nativePath, pathFromBytes } from "../../mounts/raw-path.ts";
import { tryReadFolder } from "../../mounts/read-folder.ts";
import { formatFileIdentity, tryStatEntry } from "../../mounts/stats.ts";

const MOST_IN = 2000;

interface Step {
  path: string;
  identity: string;
  isLink: boolean;
}

export interface LinkContext {
  roots: readonly string[];
  isTouched: (path: string) => boolean;
  protect: (links: readonly string[]) => Promise<void>;
  moveAside: (path: string) => void;
}

/** Links of the user between settings: protects the targets, or moves targets of commands aside. */
export class SettingsLinks {
  readonly #context: LinkContext;
  readonly #ways = new Map<string, string>();
  readonly #steps = new Map<string, readonly Step[]>();
  readonly #folders = new Map<string, bigint>();

  constructor(context: LinkContext) {
    this.#context = context;
  }

  add(path: string): void {
    const stats = tryStatEntry(path);
    if (stats?.isSymbolicLink() === true) {
      if (!this.#ways.has(path)) this.#ways.set(path, "");
    } else if (stats?.isDirectory() === true && !this.#folders.has(path)) this.#folders.set(path, -1n);
  }

  async scan(): Promise<void> {
    for (const folder of this.#folders.keys()) this.#readFolder(folder);
    const toHold = [...this.#ways.keys()].filter((link) => this.#follow(link));
    if (toHold.length > 0) await this.#context.protect(toHold);
  }

  #readFolder(folder: string): void {
    const stats = tryStatEntry(folder);
    if (stats?.isDirectory() !== true) return void this.#folders.delete(folder);
    if (this.#folders.get(folder) === stats.ctimeNs) return;
    this.#folders.set(folder, stats.ctimeNs);
    for (const one of tryReadFolder(folder).slice(0, MOST_IN))
      if (!one.isFile() && this.#folders.size < MOST_IN) this.add(join(folder, one.name));
  }

  #follow(link: string): boolean {
    const { steps, isWhole } = wayOf(link);
    const way = steps.map(({ path, identity }) => `${path}\0${identity}`).join("\0");
    if (this.#ways.get(link) === way) return false;
    const [linkStep] = steps.filter(({ path }) => path === link);
    if (linkStep?.isLink !== true) {
      this.#ways.delete(link);
      this.#steps.delete(link);
      return false;
    }
    const made = isWhole ? this.#madeByCommand(steps, this.#steps.get(link) ?? []) : undefined;
    if (made !== undefined) {
      this.#context.moveAside(made);
      return false;
    }
    this.#ways.set(link, way);
    this.#steps.set(link, steps);
    return isWhole;
  }

  #madeByCommand(steps: readonly Step[], before: readonly Step[]): string | undefined {
    const { roots, isTouched } = this.#context;
    const known = new Set(before.map(({ path, identity }) => `${path}\0${identity}`));
    const fresh = steps
      .filter(({ path, identity }) => !known.has(`${path}\0${identity}`))
      .filter(({ path }) => roots.some((root) => path !== root && isWithin(path, root)));
    const touched = fresh.filter(({ path }) => isTouched(path));
    const end = steps.at(-1);
    // A folder on the way may be older.
    const link = touched.findLast(({ isLink }) => isLink);
    if (end !== undefined && touched.includes(end)) return end.path;
    return (
      link?.path ?? (touched.length > 0 && end !== undefined && fresh.includes(end) ? end.path : undefined)
    );
  }
}

/** The kernel's limit. */
const MOST_LINKS = 40;

function wayOf(path: string): { steps: Step[]; isWhole: boolean } {
  const steps: Step[] = [];
  let rest = namesOf(path);
  let at = "/";
  for (let links = 0; ;) {
    const name = rest.shift();
    if (name === undefined) return { steps, isWhole: true };
    if (name === "..") {
      at = dirname(at);
      continue;
    }
    const next = join(at, name);
    const stats = tryStatEntry(next);
    if (stats === undefined) return { steps, isWhole: false };
    const isLink = stats.isSymbolicLink();
    steps.push({ path: next, identity: formatFileIdentity(stats), isLink });
    if (!isLink) {
      at = next;
      continue;
    }
    const target = attempt(() => pathFromBytes(readlinkSync(nativePath(next), "buffer")));
    if (target === undefined || ++links > MOST_LINKS) return { steps, isWhole: false };
    if (target.startsWith("/")) at = "/";
    rest = [...namesOf(target), ...rest];
  }
}

function namesOf(path: string): string[] {
  return path.split("/").filter((name) => name !== "" && name !== ".");
}
