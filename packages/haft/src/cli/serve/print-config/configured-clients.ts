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

/** A client by the name that `--print-config` takes. */
export type ConfiguredClient = (typeof CONFIGURED_CLIENTS)[number];
