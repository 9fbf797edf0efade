/** Ids of the agents whose rules {@link importRules} reads. */
export const importable = ["claude", "codex", "gemini", "opencode"] as const;

/** One of {@link importable}. */
export type Importable = (typeof importable)[number];
