import type { Answer } from "../contract/invocation.ts";

export type CachedAnswer = { readonly answer: Promise<Answer> } | "gone";

const ANSWERS = 1_000;
const BYTES = 32 * 1024 * 1024;
/** Ids without answers that outlast late deliveries. */
const IDS = 100_000;

/** Stores the last 1,000 answers by invocation (at most 32 MiB), 100,000 more ids, and all running invocations. */
export class AnswerCache {
  readonly #running = new Map<string, Promise<Answer>>();
  readonly #answers = new Map<string, { answer: Promise<Answer>; bytes: number }>();
  readonly #expired = new Set<string>();
  #bytes = 0;

  find(key: string): CachedAnswer | undefined {
    const answer = this.#running.get(key) ?? this.#answers.get(key)?.answer;
    if (answer !== undefined) return { answer };
    return this.#expired.has(key) ? "gone" : undefined;
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
    this.#expired.add(key);
    if (this.#expired.size > IDS) this.#expired.delete(this.#expired.values().next().value!);
  }
}
