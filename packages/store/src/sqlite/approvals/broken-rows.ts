import { getErrorMessage } from "@haft/core";

export class BrokenRows {
  readonly #path: string;
  readonly #report: (message: string) => void;
  readonly #reasons = new Map<string, string>();

  constructor(path: string, report: (message: string) => void) {
    this.#path = path;
    this.#report = report;
  }

  /** Reads a row; `undefined`, with one warning, if damaged. */
  readRow<T>(kind: string, id: string, read: () => T): T | undefined {
    const name = `${kind} ${id}`;
    try {
      const value = read();
      this.#reasons.delete(name);
      return value;
    } catch (thrown) {
      const isKnown = this.#reasons.has(name);
      this.#reasons.set(name, getErrorMessage(thrown).replace(/\.$/, ""));
      if (!isKnown) this.#report(this.#sentence([name]));
      return undefined;
    }
  }

  summary(): string | undefined {
    const names = [...this.#reasons.keys()];
    return names.length === 0 ? undefined : this.#sentence(names);
  }

  #sentence(names: readonly string[]): string {
    const first = names[0]!;
    const more = names.length === 1 ? "" : `, and ${names.length - 1} more`;
    return `In ${this.#path} the ${first} was not used${more}: ${this.#reasons.get(first)}. It decides nothing.`;
  }
}
