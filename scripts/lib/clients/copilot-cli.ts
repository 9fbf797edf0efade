import type { Client } from "./client.ts";

export const copilotCli: Client = {
  name: "copilot",
  title: "Copilot CLI",
  packages: ["@github/copilot@1.0.102"],
  bin: "copilot",
  env: (model) => ({
    COPILOT_OFFLINE: "true",
    COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
    COPILOT_PROVIDER_API_KEY: "none",
    COPILOT_MODEL: "scripted",
  }),
  headless: (prompt) => ["-p", prompt],
  toToolCall: (tool) => ({ name: `haft-${tool}` }),
  isHaft: ({ name }) => name.startsWith("haft-"),
  builtInTools: ["bash", "read_bash", "stop_bash", "list_bash", "view", "create", "edit", "grep", "glob"],
  builtInWrite: (path) => ({ name: "create", arguments: { path, file_text: "own\n" } }),
  images: false,
  cuts: /^Output too large to read at once .* Saved to: /,
};
