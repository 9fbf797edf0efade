import type { Client } from "./client.ts";

export const claudeCode: Client = {
  name: "claude",
  title: "Claude Code",
  packages: ["@anthropic-ai/claude-code@2.1.330"],
  bin: "claude",
  env: (model) => ({
    ANTHROPIC_BASE_URL: model,
    ANTHROPIC_API_KEY: "none",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
  }),
  headless: (prompt) => ["-p", prompt],
  toToolCall: (tool) => ({ name: `mcp__haft__${tool}` }),
  isHaft: ({ name }) => name.startsWith("mcp__haft__"),
  builtInTools: ["Bash", "PowerShell", "Monitor", "Read", "Edit", "Write", "NotebookEdit", "Glob", "Grep"],
  builtInWrite: (file_path) => ({ name: "Write", arguments: { file_path, content: "own\n" } }),
  images: true,
};
