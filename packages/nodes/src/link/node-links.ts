import type { LinkKeys } from "./agree.ts";

export interface NodeEnd {
  readonly name: string;
  readonly link: Buffer;
  readonly host: string;
  readonly keys: LinkKeys;
  /** Of the last message that was taken. */
  heard: number;
  /** Of the last answer. */
  said: number;
  /** Somebody who has the key used it. A greeting that is played again makes links, too, which nobody can use. */
  isConfirmed: boolean;
}

const MOST_UNCONFIRMED = 64;
const MOST_CONFIRMED = 32;

/** The links of a node: for each host 32, and 64 that were not used yet; the ones used last stay. */
export class NodeLinks {
  readonly #links = new Map<string, NodeEnd>();

  find(name: string): NodeEnd | undefined {
    return this.#links.get(name);
  }

  add(end: NodeEnd): void {
    this.#links.set(end.name, end);
    this.#bound(end.host, false, MOST_UNCONFIRMED);
  }

  use(end: NodeEnd): void {
    this.#links.delete(end.name);
    this.#links.set(end.name, end);
    if (end.isConfirmed) return;
    end.isConfirmed = true;
    this.#bound(end.host, true, MOST_CONFIRMED);
  }

  removeHost(host: string): void {
    for (const end of this.#links.values()) if (end.host === host) this.#links.delete(end.name);
  }

  #bound(host: string, isConfirmed: boolean, most: number): void {
    const same = [...this.#links.values()].filter(
      (end) => end.host === host && end.isConfirmed === isConfirmed,
    );
    for (const end of same.slice(0, Math.max(0, same.length - most))) this.#links.delete(end.name);
  }
}
