import { isPlainObject } from "../parameters/schema/json-schema.ts";

export const SECRET_MASK = "[secret]";

const SHORTEST = 4;
const MAX_DEPTH = 64;
/** Characters of Base64; images contain shorter parts by chance. */
const SHORTEST_BASE64 = 7;

/** Masks secrets in texts, URLs, JSON and headers. */
export class SecretMasker {
  readonly #texts: readonly string[];

  constructor(secrets: readonly string[]) {
    const all = secrets.filter((text) => text.length >= SHORTEST).flatMap(spellingsOf);
    // Longest first: a secret may contain another.
    this.#texts = [...new Set(all)].toSorted((one, other) => other.length - one.length);
  }

  get isEmpty(): boolean {
    return this.#texts.length === 0;
  }

  maskText(shown: string): string {
    let covered = shown;
    for (const secret of this.#texts)
      if (covered.includes(secret)) covered = covered.replaceAll(secret, SECRET_MASK);
    return covered;
  }

  maskValue<T>(given: T, depth = 0): T {
    if (this.isEmpty) return given;
    if (typeof given === "string") return this.maskText(given) as T;
    if (depth > MAX_DEPTH) return given;
    if (Array.isArray(given)) return given.map((one: unknown) => this.maskValue(one, depth + 1)) as T;
    if (!isPlainObject(given)) return given;
    const members = Object.entries(given).map(([key, inner]) => [
      this.maskText(key),
      this.maskValue(inner, depth + 1),
    ]);
    return Object.fromEntries(members) as T;
  }
}

function spellingsOf(secret: string): string[] {
  const plain = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed())];
  return [...plain, ...(["base64", "base64url"] as const).flatMap((form) => base64SpellingsOf(secret, form))];
}

/** Base64 of a text that contains the secret depends on the position of the secret, modulo 3 bytes. */
function base64SpellingsOf(secret: string, form: "base64" | "base64url"): string[] {
  const inside = [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    // Only the characters whose bits all come from the secret.
    return bytes.toString(form).slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6));
  });
  return [Buffer.from(secret).toString(form), ...inside.filter(({ length }) => length >= SHORTEST_BASE64)];
}
