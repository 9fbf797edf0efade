import { randomUUID } from "node:crypto";

/** Fits every provider: letters, digits and `_`, 29 characters. */
function newCallId(): string {
  return `call_${randomUUID().replaceAll("-", "").slice(0, 24)}`;
}

/** What providers take as the id of a call; OpenAI's chat completions take no longer ones. */
const USABLE = /^[\w.:-]{1,40}$/;

/**
 * Gives each call of a conversation an id of its own. One that is missing, that no provider takes or that was used before becomes a new one.
 */
export class CallIds {
  readonly #used = new Set<string>();
  readonly #usable: RegExp;

  /** @param usable what the provider takes */
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
