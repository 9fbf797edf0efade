/** The agents whose own rules can be read. */
export const importable = ["claude", "codex", "gemini", "opencode"] as const;

/** One of them. */
export type Importable = (typeof importable)[number];
