import { messageOf } from "@haft/core";

/** Files of a store that could not be used, and who has been told of which. */
export class BrokenFiles {
  readonly #reasons = new Map<string, string>();
  #fresh: string[] = [];

  add(path: string, thrown: unknown): void {
    if (!this.#reasons.has(path)) this.#fresh.push(path);
    this.#reasons.set(path, messageOf(thrown));
  }

  /** It can be used now, or is gone. */
  delete(path: string): void {
    this.#reasons.delete(path);
  }

  /** All there are, in one sentence. */
  summary(): string | undefined {
    return this.#sentence([...this.#reasons.keys()]);
  }

  /** Those that were not told of before. */
  takeFresh(): string | undefined {
    const fresh = this.#fresh.filter((path) => this.#reasons.has(path));
    this.#fresh = [];
    return this.#sentence(fresh);
  }

  #sentence(paths: readonly string[]): string | undefined {
    const [first] = paths;
    if (first === undefined) return undefined;
    const why = this.#reasons.get(first)!.replace(`${first} cannot be used: `, "").replace(/\.$/, "");
    return paths.length === 1
      ? `${first} was not used: ${why}. It decides nothing; look at it, and remove it.`
      : `${paths.length} files of approvals were not used, first ${first}: ${why}. They decide nothing; look at them, and remove them.`;
  }
}
