import type { Client } from "./client.ts";

export const opencode: Client = {
  name: "opencode",
  title: "opencode",
  packages: ["opencode-ai@1.18.33"],
  bin: "opencode",
  files: (model) => ({
    ".config/opencode/opencode.json": JSON.stringify({
      model: "scripted/model",
      provider: {
        scripted: {
          npm: "@ai-sdk/openai-compatible",
          name: "scripted",
          options: { baseURL: `${model}/v1`, apiKey: "none" },
          models: {
            model: {
              name: "model",
              attachment: true,
              modalities: { input: ["text", "image"], output: ["text"] },
            },
          },
        },
      },
    }),
  }),
  env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" }),
  headless: (prompt) => ["run", prompt],
  toToolCall: (tool) => ({ name: `haft_${tool}` }),
  isHaft: ({ name }) => name.startsWith("haft_"),
  builtInTools: ["bash", "read", "edit", "write", "patch", "apply_patch", "glob", "grep", "list"],
  builtInWrite: (filePath) => ({ name: "write", arguments: { filePath, content: "own\n" } }),
  images: true,
  cuts: /lines truncated[^]*Full output saved to: /,
};
