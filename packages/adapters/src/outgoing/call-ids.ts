import { randomUUID } from "node:crypto";

/** Valid for every provider: letters, digits and `_`, 29 characters. */
function newCallId(): string {
  return `call_${randomUUID().replaceAll("-", "").slice(0, 24)}`;
}

/** Valid ids of calls; OpenAI's chat completions limit the length. */
const USABLE = /^[\w.:-]{1,40}$/;

/** A missing, invalid or repeated id becomes a new id. */
export class CallIds {
  readonly #used = new Set<string>();
  readonly #usable: RegExp;

  /** @param usable ids that the provider accepts */
  constructor(usable: RegExp = USABLE) {
    this.#usable = usable;
  }

  take(given: unknown): string {
    const isFree = typeof given === "string" && this.#usable.test(given) && !this.#used.has(given);
    const id = isFree ? given : newCallId();
    this.#used.add(id);
    return id;
  }
}
