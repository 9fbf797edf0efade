import { storeError } from "../../errors.ts";
import type { Link } from "../connection/link.ts";
import { readMessages } from "../connection/read-messages.ts";

const TRIES = 50;
const NOT_STORED = "The approval could not be stored";

export interface BucketEntry<T> {
  readonly key: string;
  readonly value: T;
  readonly revision: number;
  /** Time of the write, in epoch milliseconds of the server. */
  readonly at: number;
}

export class Bucket<T extends object> {
  readonly #link: Link;
  readonly #kind: string;
  readonly #broken = new Map<string, string>();

  constructor(link: Link, kind: string) {
    this.#link = link;
    this.#kind = kind;
  }

  async list(): Promise<BucketEntry<T>[]> {
    const { approvals } = this.#link.names;
    const before = `$KV.${approvals}.`;
    const messages = await readMessages(this.#link, `KV_${approvals}`, `${before}${this.#kind}.*`, {
      last: true,
    });
    return messages.flatMap(({ subject, data, seq, at }) => {
      const key = subject.slice(before.length);
      const value = this.#read(key, data);
      return value === undefined ? [] : [{ key, value, revision: seq, at }];
    });
  }

  async get(token: string): Promise<BucketEntry<T> | undefined> {
    const key = `${this.#kind}.${token}`;
    const found = await this.#link.find("The approval could not be read", () =>
      this.#link.approvals.get(key),
    );
    if (found?.operation !== "PUT") return undefined;
    const value = this.#read(key, found.value);
    return value && { key, value, revision: found.revision, at: found.created.getTime() };
  }

  /** Replaces revision `seen` (0: none). Returns the new revision, or `undefined` after a conflict. */
  async put(token: string, text: string, seen: number): Promise<number | undefined> {
    return await this.#link.unlessConflict(NOT_STORED, () =>
      this.#link.approvals.put(`${this.#kind}.${token}`, text, { previousSeq: seen }),
    );
  }

  async create(token: string, value: T): Promise<boolean> {
    const revision = await this.#link.unlessConflict(NOT_STORED, () =>
      this.#link.approvals.create(`${this.#kind}.${token}`, JSON.stringify(value)),
    );
    return revision !== undefined;
  }

  /**
   * Updates a value atomically; retries after conflicts.
   *
   * @param change returns the new value, `undefined` for no change, or `null` for removal; may throw
   * @returns whether the value changed
   */
  async change(token: string, change: (value: T) => T | null | undefined): Promise<boolean> {
    for (let tries = 0; tries < TRIES; tries++) {
      const entry = await this.get(token);
      const value = entry && change(entry.value);
      if (entry === undefined || value === undefined) return false;
      if (await this.#replace(entry, value)) return true;
    }
    throw storeError(
      "NATS_FAILED",
      `The approval ${token} could not be changed because of repeated conflicting writes.`,
    );
  }

  async #replace({ key, revision }: BucketEntry<T>, value: T | null): Promise<boolean> {
    const { approvals } = this.#link;
    const done = await this.#link.unlessConflict(NOT_STORED, async () => {
      if (value === null) await approvals.delete(key, { previousSeq: revision });
      else await approvals.update(key, JSON.stringify(value), revision);
      return true;
    });
    if (done === true && value === null) await this.forget(key);
    return done ?? false;
  }

  async forget(key: string): Promise<void> {
    const { approvals } = this.#link.names;
    await this.#link.ask("The approval could not be removed", () =>
      this.#link.jsm.streams.purge(`KV_${approvals}`, { filter: `$KV.${approvals}.${key}` }),
    );
  }

  note(key: string, why: string): void {
    this.#broken.set(key, why);
  }

  problem(): string | undefined {
    const [first] = this.#broken;
    if (first === undefined) return undefined;
    const more = this.#broken.size === 1 ? "" : `, and ${this.#broken.size - 1} more`;
    return `In the bucket ${this.#link.names.approvals} the key ${first[0]} was not used${more}: ${first[1]}. It decides nothing.`;
  }

  #read(key: string, data: Uint8Array): T | undefined {
    this.#broken.delete(key);
    if (data.length === 0) return undefined;
    try {
      const value: unknown = JSON.parse(new TextDecoder().decode(data));
      if (typeof value === "object" && value !== null) return value as T;
    } catch {
      // Reported below.
    }
    this.#broken.set(key, "Haft did not write it");
    return undefined;
  }
}
