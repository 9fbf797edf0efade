import { codex as client, withModel } from "../../clients/codex.ts";
import type { ScriptedCall } from "../../scripted-model/script.ts";
import {
  AFTER,
  BEFORE,
  type GuardedClient,
  SERVER,
  SERVER_TOOL,
  type TrialPaths,
} from "../guarded-client.ts";

const patch = ({ file }: TrialPaths) =>
  `*** Begin Patch\n*** Update File: ${file}\n@@\n-${BEFORE}\n+${AFTER}\n*** End Patch\n`;

/** For this model name, Codex offers apply_patch, and server tools only by search. */
export const codex: GuardedClient = {
  name: "codex",
  title: "Codex, gpt-5.5",
  client,
  settings: ".codex/config.toml",
  free: ["--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox"],
  files: (model, server) => ({ ".codex/config.toml": withModel("gpt-5.5", model) + serverTable(server) }),
  shell: (cmd) => ({ name: "exec_command", arguments: { cmd } }),
  tools: {
    read: { call: ({ project }) => ({ name: "view_image", arguments: { path: `${project}/dot.png` } }) },
    shell: { call: () => codex.shell("echo ran > shell.txt") },
    edit: { call: (place) => ({ name: "apply_patch", custom: true, arguments: patch(place) }) },
    mcp: {
      before: { name: "tool_search", arguments: { query: `${SERVER} ${SERVER_TOOL}`, limit: 20 } },
      call: () => ({ name: SERVER_TOOL, namespace: `mcp__${SERVER}`, arguments: {} }),
    },
    subagent: "this model gets no tool for it",
  },
};

/** For an unknown name, Codex offers server tools and subagents at once, and no apply_patch. */
export const codexUnknown: GuardedClient = {
  ...codex,
  name: "codex-unknown",
  title: "Codex, a model it does not know",
  files: (model, server) => ({ ".codex/config.toml": withModel("scripted", model) + serverTable(server) }),
  tools: {
    ...codex.tools,
    // Codex extracts a here-document's patch and applies it itself.
    edit: { call: (place) => codex.shell(`apply_patch <<'EOF'\n${patch(place)}EOF\n`) },
    mcp: { call: () => ({ name: SERVER_TOOL, namespace: `mcp__${SERVER}`, arguments: {} }) },
    subagent: {
      call: ({ prompt }) => ({
        name: "spawn_agent",
        namespace: "multi_agent_v1",
        arguments: { message: prompt },
      }),
      after: (told) => {
        const id = /"agent_id"\s*:\s*"([^"]+)"/.exec(told)?.[1];
        if (id === undefined) return undefined;
        return {
          name: "wait_agent",
          namespace: "multi_agent_v1",
          arguments: { targets: [id], timeout_ms: 120_000 },
        };
      },
    },
  },
};

/** For models that call tools only from code: Codex asks the hook about these calls, not about the code. */
const code = (text: string): ScriptedCall => ({
  name: "exec",
  namespace: "functions",
  custom: true,
  arguments: text,
});
const inCode = (tool: string, args: unknown, show = "text") =>
  code(`${show}(await tools.${tool}(${JSON.stringify(args)}));`);

/** This name gets one tool, JavaScript that calls all others. */
export const codexCode: GuardedClient = {
  ...codex,
  name: "codex-code",
  title: "Codex, gpt-6-sol, which calls tools from code",
  files: (model, server) => ({ ".codex/config.toml": withModel("gpt-6-sol", model) + serverTable(server) }),
  shell: (cmd) => inCode("exec_command", { cmd }),
  tools: {
    read: { call: ({ project }) => inCode("view_image", { path: `${project}/dot.png` }, "image") },
    shell: { call: () => codexCode.shell("echo ran > shell.txt") },
    edit: { call: (place) => inCode("apply_patch", patch(place)) },
    mcp: { call: () => inCode(`mcp__${SERVER}__${SERVER_TOOL}`, {}) },
    subagent: "the provider encrypts messages to it, which a script cannot do",
  },
};

function serverTable([command, ...args]: readonly string[]): string {
  return `\n[mcp_servers.${SERVER}]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`;
}
