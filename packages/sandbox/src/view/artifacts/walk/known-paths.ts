import { dirname } from "node:path";
import { readFileIdentity } from "../../../mounts/stats.ts";

export interface KnownPathsContext {
  known?: readonly (readonly [path: string, identity: string])[] | undefined;
  isTouched: (path: string) => boolean;
  isUserFile: (path: string, identity: string) => boolean;
}

/** Tells files and folders that were there before any command, or came in between, from those that commands made or put there. */
export class KnownPaths {
  readonly #ground: KnownPathsContext;
  readonly #known: Map<string, string>;
  /** In folders that a command made or moved. What is in a folder keeps its times when the folder is moved. */
  readonly #brought = new Map<string, string>();
  /** Has the list not changed since this was set? */
  isRemembered = false;

  constructor(ground: KnownPathsContext) {
    this.#ground = ground;
    this.#known = new Map(ground.known);
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
    if (!this.#ground.isUserFile(path, identity)) this.#brought.set(path, identity);
  }

  /** Whether a command made it or put it there; if not, it is known from now on. `below`: a folder that was not moved. */
  isNew(path: string, below = dirname(path)): boolean {
    const identity = readFileIdentity(path);
    if (this.#known.get(path) === identity) return false;
    if (this.#brought.get(path) === identity) return true;
    for (let at = path; at.length > below.length; at = dirname(at))
      if (this.#ground.isTouched(at)) return true;
    this.#known.set(path, identity);
    this.isRemembered = false;
    return false;
  }
}
