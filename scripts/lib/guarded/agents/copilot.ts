import { copilotCli } from "../../clients/copilot-cli.ts";
import { AFTER, BEFORE, type GuardedClient, SERVER, SERVER_TOOL } from "../guarded-client.ts";

export const copilot: GuardedClient = {
  name: "copilot",
  title: "Copilot CLI",
  client: copilotCli,
  settings: ".copilot/hooks/haft-guard.json",
  free: ["--allow-all-tools"],
  hidesFailures: true,
  files: (_model, [command, ...args]) => ({
    ".copilot/mcp-config.json": JSON.stringify({
      mcpServers: { [SERVER]: { type: "local", command, args, tools: ["*"] } },
    }),
  }),
  shell: (command) => ({ name: "bash", arguments: { command, description: "A command" } }),
  tools: {
    read: { call: ({ file }) => ({ name: "view", arguments: { path: file } }) },
    shell: { call: () => copilot.shell("echo ran > shell.txt") },
    edit: {
      call: ({ file }) => ({ name: "edit", arguments: { path: file, old_str: BEFORE, new_str: AFTER } }),
    },
    mcp: { call: () => ({ name: `${SERVER}-${SERVER_TOOL}`, arguments: {} }) },
    subagent: {
      call: ({ prompt }) => ({
        name: "task",
        arguments: { description: "A part", prompt, agent_type: "task", name: "part", mode: "sync" },
      }),
    },
  },
};
