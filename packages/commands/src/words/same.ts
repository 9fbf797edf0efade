/** A part of a table: the same is known of all of these names. */
export function same<Known>(names: readonly string[], known: Known): Record<string, Known> {
  return Object.fromEntries(names.map((name) => [name, known]));
}
