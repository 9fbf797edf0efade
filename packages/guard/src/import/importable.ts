/** Lists the agents whose rules {@link importRules} reads. */
export const importable = ["claude", "codex", "gemini", "opencode"] as const;

export type Importable = (typeof importable)[number];
