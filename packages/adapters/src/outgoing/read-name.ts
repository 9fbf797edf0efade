/** Returns an empty name for a value other than text. */
export function readName(given: unknown): string {
  return typeof given === "string" ? given : "";
}
