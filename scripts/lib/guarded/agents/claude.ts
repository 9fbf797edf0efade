import { claudeCode } from "../../clients/claude-code.ts";
import { AFTER, BEFORE, type GuardedClient, SERVER, SERVER_TOOL } from "../guarded-client.ts";

export const claude: GuardedClient = {
  name: "claude",
  title: "Claude Code",
  client: claudeCode,
  settings: ".claude/settings.json",
  free: ["--permission-mode", "bypassPermissions"],
  env: { IS_SANDBOX: "1" },
  files: (_model, [command, ...args], project) => ({
    ".claude.json": JSON.stringify({
      mcpServers: { [SERVER]: { command, args } },
      // Avoids questions of a first start on a terminal.
      hasCompletedOnboarding: true,
      projects: { [project]: { hasTrustDialogAccepted: true } },
      customApiKeyResponses: { approved: ["none"], rejected: [] },
    }),
    ".claude/settings.json": JSON.stringify({ skipDangerousModePermissionPrompt: true }),
  }),
  attended: { asks: /Haft\s+asks[^]*Yes/, yes: "\r", no: "\u001b", over: /Interrupted|interrupted/ },
  shell: (command) => ({ name: "Bash", arguments: { command, description: "A command" } }),
  tools: {
    read: { call: ({ file }) => ({ name: "Read", arguments: { file_path: file } }) },
    shell: { call: () => claude.shell("echo ran > shell.txt") },
    edit: {
      call: ({ file }) => ({
        name: "Edit",
        arguments: { file_path: file, old_string: BEFORE, new_string: AFTER },
      }),
    },
    mcp: { call: () => ({ name: `mcp__${SERVER}__${SERVER_TOOL}`, arguments: {} }) },
    subagent: {
      call: ({ prompt }) => ({
        name: "Agent",
        arguments: {
          description: "A part",
          prompt,
          subagent_type: "general-purpose",
          run_in_background: false,
        },
      }),
    },
  },
};
