/** What is no text is no name that a tool has. */
export function readName(given: unknown): string {
  return typeof given === "string" ? given : "";
}
