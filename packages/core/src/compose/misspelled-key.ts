import { editDistance } from "../parameters/schema/nearest.ts";

/** Letters of a word that are wrong by a slip of the pen. */
const MOST_WRONG = 2;
/** Shorter words have many that are like them. */
const SHORT = 5;

/**
 * A key that nobody reads and that is nearly one that is missing: `a key "descripton"; did you mean "description"?`. Others
 * are nobody's business: tools may be classes, and bring what other frameworks want.
 */
export function misspelledKey(value: object, known: readonly string[]): string | undefined {
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue;
    const missing = known.filter((name) => !(name in value));
    const limit = key.length < SHORT ? 1 : MOST_WRONG;
    const meant = missing.find((name) => editDistance(key.toLowerCase(), name.toLowerCase(), limit) <= limit);
    if (meant !== undefined) return `a key "${key}"; did you mean "${meant}"?`;
  }
  return undefined;
}
