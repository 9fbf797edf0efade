/** The clients of `--print-config`. Their texts are in another module, because few starts need them. */
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
