/** The clients that `--print-config` takes: apart from what is printed for them, which few starts need. */
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
