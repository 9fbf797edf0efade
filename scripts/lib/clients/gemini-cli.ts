import type { Client } from "./client.ts";

export const geminiCli: Client = {
  name: "gemini",
  title: "Gemini CLI",
  packages: ["@google/gemini-cli@0.61.0"],
  bin: "gemini",
  files: () => ({
    ".gemini/settings.json": JSON.stringify({ security: { auth: { selectedType: "gemini-api-key" } } }),
  }),
  env: (model) => ({
    GEMINI_API_KEY: "none",
    GOOGLE_GEMINI_BASE_URL: model,
    // Untrusted workspaces get no servers.
    GEMINI_CLI_TRUST_WORKSPACE: "true",
  }),
  // Otherwise another model chooses one.
  headless: (prompt) => ["--model", "gemini-2.5-pro", "-p", prompt],
  toToolCall: (tool) => ({ name: `mcp_haft_${tool}` }),
  isHaft: ({ name }) => name.startsWith("mcp_haft_"),
  builtInTools: [
    "run_shell_command",
    "read_file",
    "read_many_files",
    "write_file",
    "replace",
    "list_directory",
    "glob",
    "grep_search",
  ],
  builtInWrite: (file_path) => ({ name: "write_file", arguments: { file_path, content: "own\n" } }),
  images: true,
};
