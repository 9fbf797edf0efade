/** The members of what a provider sent, or a host gave: nothing of what is no object. */
export function membersOf(given: unknown): Readonly<Record<string, unknown>> {
  return typeof given === "object" && given !== null ? (given as Record<string, unknown>) : {};
}

/** What is no text is no name that a tool has. */
export function nameOf(given: unknown): string {
  return typeof given === "string" ? given : "";
}
