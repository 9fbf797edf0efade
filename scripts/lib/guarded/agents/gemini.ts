import { geminiCli } from "../../clients/gemini-cli.ts";
import { AFTER, BEFORE, type GuardedClient, SERVER, SERVER_TOOL } from "../guarded-client.ts";

export const gemini: GuardedClient = {
  name: "gemini",
  title: "Gemini CLI",
  client: geminiCli,
  settings: ".gemini/settings.json",
  free: ["--approval-mode", "yolo"],
  files: (model, [command, ...args]) => {
    const path = ".gemini/settings.json";
    const settings = JSON.parse(geminiCli.files?.(model)[path] ?? "{}") as object;
    return { [path]: JSON.stringify({ ...settings, mcpServers: { [SERVER]: { command, args } } }) };
  },
  shell: (command) => ({ name: "run_shell_command", arguments: { command } }),
  tools: {
    read: { call: ({ file }) => ({ name: "read_file", arguments: { file_path: file } }) },
    shell: { call: () => gemini.shell("echo ran > shell.txt") },
    edit: {
      call: ({ file }) => ({
        name: "replace",
        arguments: {
          file_path: file,
          instruction: "Say what comes after.",
          old_string: BEFORE,
          new_string: AFTER,
        },
      }),
    },
    mcp: { call: () => ({ name: `mcp_${SERVER}_${SERVER_TOOL}`, arguments: {} }) },
    subagent: {
      call: ({ prompt }) => ({ name: "invoke_agent", arguments: { agent_name: "generalist", prompt } }),
    },
  },
};
