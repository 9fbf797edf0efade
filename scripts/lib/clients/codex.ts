import type { Client } from "./client.ts";

/** For this model name, Codex offers apply_patch, and server tools only by search. */
const MODEL = "gpt-5.5";

/** Settings that select the scripted model. */
export function withModel(name: string, url: string): string {
  return `model = "${name}"
model_provider = "scripted"

[model_providers.scripted]
name = "scripted"
base_url = "${url}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
`;
}

export const codex: Client = {
  name: "codex",
  title: "Codex",
  packages: ["@openai/codex@0.169.0"],
  bin: "codex",
  files: (model) => ({ ".codex/config.toml": withModel(MODEL, model) }),
  env: () => ({ SCRIPTED_KEY: "none" }),
  headless: (prompt) => ["exec", "--skip-git-repo-check", prompt],
  toToolCall: (tool) => ({ name: tool, namespace: "mcp__haft" }),
  isHaft: ({ namespace }) => namespace === "mcp__haft",
  builtInTools: ["exec_command", "write_stdin", "shell", "apply_patch", "view_image"],
  keeps: { apply_patch: "its read-only sandbox refuses what it would write" },
  search: { name: "tool_search", arguments: { query: "read write edit run commands", limit: 20 } },
  builtInWrite: (path) => ({
    name: "apply_patch",
    custom: true,
    arguments: `*** Begin Patch\n*** Add File: ${path}\n+own\n*** End Patch\n`,
  }),
  images: true,
};
