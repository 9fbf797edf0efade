import type { Client } from "../../clients/client.ts";
import type { ScriptedCall } from "../../scripted-model/script.ts";
import { AFTER, BEFORE, type GuardedClient, SERVER, SERVER_TOOL } from "../guarded-client.ts";

const client: Client = {
  name: "openclaw",
  title: "OpenClaw",
  packages: ["openclaw@2026.9.6"],
  bin: "openclaw",
  env: () => ({ NO_COLOR: "1", OPENCLAW_DISABLE_BONJOUR: "1" }),
  headless: (prompt) => ["agent", "--agent", "main", "--message", prompt],
  toToolCall: (name) => ({ name }),
  isHaft: () => false,
  builtInTools: [],
  builtInWrite: (path) => ({ name: "write", arguments: { path, content: "own\n" } }),
  images: false,
};

/** The model calls found tools through another tool. */
const through = (id: string, args: object): ScriptedCall => ({ name: "tool_call", arguments: { id, args } });

/** Plugins decide only in its Gateway, not in commands that run agents without it. */
export const openclaw: GuardedClient = {
  name: "openclaw",
  title: "OpenClaw, by its Gateway",
  client,
  settings: ".openclaw/extensions/haft-guard/index.js",
  isModule: true,
  free: [],
  enables: ["plugins", "enable", "haft-guard"],
  asksTwice: ["mcp"],
  companion: { args: ["gateway", "run"], ready: /http server listening/ },
  files: (model, [command, ...args], project) => ({
    ".openclaw/openclaw.json": JSON.stringify({
      gateway: { mode: "local", bind: "loopback", auth: { mode: "token", token: "nobody's" } },
      agents: { defaults: { workspace: project, skipBootstrap: true, model: { primary: "scripted/model" } } },
      models: { mode: "merge", providers: { scripted: providerOf(model) } },
      mcp: { servers: { [SERVER]: { command, args } } },
    }),
  }),
  shell: (command) => ({ name: "exec", arguments: { command } }),
  tools: {
    read: { call: ({ file }) => ({ name: "read", arguments: { path: file } }) },
    shell: { call: () => openclaw.shell("echo ran > shell.txt") },
    edit: {
      call: ({ file }) => ({
        name: "edit",
        arguments: { path: file, edits: [{ oldText: BEFORE, newText: AFTER }] },
      }),
    },
    mcp: { call: () => through(`${SERVER}__${SERVER_TOOL}`, {}) },
    subagent: "it continues after the conversation ends, and the test does not wait for it",
  },
};

function providerOf(model: string): object {
  const costs = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const limits = { contextWindow: 120_000, maxTokens: 8_192 };
  const one = { id: "model", name: "model", reasoning: false, input: ["text"], cost: costs, ...limits };
  return { baseUrl: `${model}/v1`, apiKey: "none", api: "openai-completions", models: [one] };
}
