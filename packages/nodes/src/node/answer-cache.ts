import type { Answer } from "../contract/invocation.ts";

export type CachedAnswer = { readonly answer: Promise<Answer> } | "gone";

/** Answers that are kept, and their bytes together. */
const ANSWERS = 1_000;
const BYTES = 32 * 1024 * 1024;
/** Ids that are kept after their answers: enough that none comes back by then. */
const IDS = 100_000;

/**
 * The answers of a node by their invocation: of the last 1,000 and 32 MiB the answer itself, of 100,000 more that they ran.
 * What runs is always kept.
 */
export class AnswerCache {
  readonly #running = new Map<string, Promise<Answer>>();
  readonly #answers = new Map<string, { answer: Promise<Answer>; bytes: number }>();
  readonly #gone = new Set<string>();
  #bytes = 0;

  find(key: string): CachedAnswer | undefined {
    const answer = this.#running.get(key) ?? this.#answers.get(key)?.answer;
    if (answer !== undefined) return { answer };
    return this.#gone.has(key) ? "gone" : undefined;
  }

  get running(): number {
    return this.#running.size;
  }

  begin(key: string, answer: Promise<Answer>): void {
    this.#running.set(key, answer);
  }

  end(key: string, answer: Answer, bytes: number): void {
    this.#running.delete(key);
    this.#answers.set(key, { answer: Promise.resolve(answer), bytes });
    this.#bytes += bytes;
    while (this.#answers.size > ANSWERS || this.#bytes > BYTES) this.#forgetOldest();
  }

  #forgetOldest(): void {
    const [oldest] = this.#answers;
    if (oldest === undefined) return;
    const [key, { bytes }] = oldest;
    this.#answers.delete(key);
    this.#bytes -= bytes;
    this.#gone.add(key);
    if (this.#gone.size > IDS) this.#gone.delete(this.#gone.values().next().value!);
  }
}
