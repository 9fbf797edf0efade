import { dirname } from "node:path";
import { readFileIdentity } from "../../../mounts/stats.ts";

export interface KnownPathsContext {
  known?: readonly (readonly [path: string, identity: string])[] | undefined;
  isTouched: (path: string) => boolean;
  isUserFile: (path: string, identity: string) => boolean;
}

export class KnownPaths {
  readonly #context: KnownPathsContext;
  readonly #known: Map<string, string>;
  /** In folders that a command made or moved: moving keeps the times of the content. */
  readonly #brought = new Map<string, string>();
  isRemembered = false;

  constructor(context: KnownPathsContext) {
    this.#context = context;
    this.#known = new Map(context.known);
  }

  get all(): [path: string, identity: string][] {
    return [...this.#known];
  }

  add(path: string): void {
    this.#known.set(path, readFileIdentity(path));
    this.isRemembered = false;
  }

  addBrought(path: string): void {
    const identity = readFileIdentity(path);
    if (!this.#context.isUserFile(path, identity)) this.#brought.set(path, identity);
  }

  /** Other paths are known afterwards. `below`: a folder that was not moved. */
  isNew(path: string, below = dirname(path)): boolean {
    const identity = readFileIdentity(path);
    if (this.#known.get(path) === identity) return false;
    if (this.#brought.get(path) === identity) return true;
    for (let at = path; at.length > below.length; at = dirname(at))
      if (this.#context.isTouched(at)) return true;
    this.#known.set(path, identity);
    this.isRemembered = false;
    return false;
  }
}
