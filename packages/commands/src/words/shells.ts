/** Shells that agree on the supported part of the language. */
export const SHELLS: ReadonlySet<string> = new Set(["sh", "bash", "dash", "ash"]);
