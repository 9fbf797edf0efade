import { readFileSync } from "node:fs";
import { join } from "node:path";
import { codeBlocks } from "../markdown.ts";
import { root } from "../workspace.ts";
import type { Client } from "./client.ts";

const FOLDER = "~/.pi/agent/extensions/haft";

/** An extension from pi's guide passes the session. */
export const pi: Client = {
  name: "pi",
  title: "pi",
  packages: ["@earendil-works/pi-coding-agent@0.87.1"],
  bin: "pi",
  mount: () => {
    const guide = readFileSync(join(root, "docs/guides/clients/pi.md"), "utf8");
    const [extension] = codeBlocks(guide, "ts fragment");
    const modules = `${FOLDER}/node_modules`;
    return {
      files: [
        { language: "ts", path: `${FOLDER}/index.ts`, text: extension?.text ?? "" },
        { language: "json", path: `${FOLDER}/package.json`, text: '{ "type": "module" }' },
      ],
      // This checkout's packages replace npm's.
      add: [
        `mkdir -p ${modules}/@haft`,
        `ln -s "${join(root, "packages/haft")}" ${modules}/haft`,
        `ln -s "${join(root, "packages/adapters")}" ${modules}/@haft/adapters`,
      ].join("\n"),
      check: `ls -d ${FOLDER}`,
      remove: `rm -r ${FOLDER}`,
      start: [],
    };
  },
  files: (model) => ({
    ".pi/agent/models.json": JSON.stringify({
      providers: {
        scripted: {
          baseUrl: `${model}/v1`,
          api: "openai-completions",
          apiKey: "none",
          models: [{ id: "model", input: ["text", "image"] }],
        },
      },
    }),
  }),
  env: (_model, { config, state }) => ({ PI_OFFLINE: "1", HAFT_CONFIG: config, HAFT_STATE_DIR: state }),
  headless: (prompt) => ["--provider", "scripted", "--model", "model", "-p", prompt],
  toToolCall: (name) => ({ name }),
  // They replace its own tools under the same names.
  isHaft: () => true,
  builtInTools: [],
  builtInWrite: (path) => ({ name: "write_file", arguments: { path, content: "own\n" } }),
  images: true,
};
