export function mapNames<Known>(names: readonly string[], known: Known): Record<string, Known> {
  return Object.fromEntries(names.map((name) => [name, known]));
}
