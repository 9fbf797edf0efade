/** Few starts need the clients' texts. */
export const CONFIGURED_CLIENTS = [
  "claude",
  "codex",
  "gemini",
  "copilot",
  "opencode",
  "vscode",
  "cursor",
] as const;

export type ConfiguredClient = (typeof CONFIGURED_CLIENTS)[number];
