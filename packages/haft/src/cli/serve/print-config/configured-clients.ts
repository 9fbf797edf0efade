/** A separate module, because few starts need the texts of the clients. */
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
