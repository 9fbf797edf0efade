import { claudeConfig } from "./claude.ts";
import { codexConfig } from "./codex.ts";
import type { ConfiguredClient } from "./configured-clients.ts";
import { copilotConfig } from "./copilot.ts";
import { cursorConfig } from "./cursor.ts";
import { geminiConfig } from "./gemini.ts";
import { opencodeConfig } from "./opencode.ts";
import type { ClientConfig } from "./printed.ts";
import { isFleeting, type ServerCommand } from "./server-command.ts";
import { vscodeConfig } from "./vscode.ts";

const clientConfigs: Readonly<Record<ConfiguredClient, { title: string; config: ClientConfig }>> = {
  claude: { title: "Claude Code", config: claudeConfig },
  codex: { title: "Codex", config: codexConfig },
  gemini: { title: "Gemini CLI", config: geminiConfig },
  copilot: { title: "Copilot CLI", config: copilotConfig },
  opencode: { title: "opencode", config: opencodeConfig },
  vscode: { title: "VS Code", config: vscodeConfig },
  cursor: { title: "Cursor", config: cursorConfig },
};

/** What a person does so that a client starts this server, and has no tools beside it where that can be had: Markdown. */
export function printConfig(client: ConfiguredClient, server: ServerCommand): string {
  const { title, config } = clientConfigs[client];
  const paths = isFleeting(server)
    ? "Careful: haft was started by npx without being installed, and that folder does not stay. Install it first (npm install --global haft), and print this again."
    : "These paths are this machine's, and this Node's: print them again when either moved.";
  return [`# Haft in ${title}`, ...config(server), paths].map((part) => `${part}\n`).join("\n");
}
