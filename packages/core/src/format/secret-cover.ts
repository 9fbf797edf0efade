import { isPlainObject } from "../parameters/schema/json-schema.ts";

export const COVER = "[secret]";

/** Shorter texts are words of every sentence, and are not covered. */
const SHORTEST = 4;
const MOST_DEPTH = 64;

/** Covers secrets in texts, also as they stand in URLs, in JSON and in headers. */
export class SecretCover {
  readonly #texts: readonly string[];

  constructor(secrets: readonly string[]) {
    const all = secrets.filter((text) => text.length >= SHORTEST).flatMap(spellingsOf);
    // The longest first: one may contain another.
    this.#texts = [...new Set(all)].toSorted((one, other) => other.length - one.length);
  }

  get isEmpty(): boolean {
    return this.#texts.length === 0;
  }

  text(shown: string): string {
    let covered = shown;
    for (const secret of this.#texts)
      if (covered.includes(secret)) covered = covered.replaceAll(secret, COVER);
    return covered;
  }

  /** Every text in a value that is made of plain objects and lists; others are answered as they are. */
  value<T>(given: T, depth = 0): T {
    if (this.isEmpty) return given;
    if (typeof given === "string") return this.text(given) as T;
    if (depth > MOST_DEPTH) return given;
    if (Array.isArray(given)) return given.map((one: unknown) => this.value(one, depth + 1)) as T;
    if (!isPlainObject(given)) return given;
    const members = Object.entries(given).map(([key, inner]) => [
      this.text(key),
      this.value(inner, depth + 1),
    ]);
    return Object.fromEntries(members) as T;
  }
}

function spellingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const plain = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed())];
  return [...plain, bytes.toString("base64"), bytes.toString("base64url")];
}
