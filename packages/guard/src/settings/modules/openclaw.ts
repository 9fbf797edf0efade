import { join } from "node:path";
import type { AgentSettings, SettingsLocation } from "../agent-settings.ts";
import { jsonSettings, listRecords } from "../json-entry.ts";
import { moduleSettings, moduleText, MODULE_HEADER } from "./module-text.ts";

const ID = "haft-guard";
const ABOUT = MODULE_HEADER.replace("// ", "");

/** It asks through the approvals of OpenClaw. */
export const openclawSettings: AgentSettings = {
  id: "openclaw",
  file: (location) =>
    join(
      location.project === undefined ? stateFolder(location) : join(location.project, ".openclaw"),
      `extensions/${ID}/index.js`,
    ),
  relatedFiles: {
    files: (location) => [
      location.env["OPENCLAW_CONFIG_PATH"] || join(stateFolder(location), "openclaw.json"),
    ],
    problems(text) {
      const [plugins = {}] = listRecords([text === undefined ? {} : jsonSettings(text)["plugins"]]);
      const { enabled, allow, deny } = plugins;
      const [entries = {}] = listRecords([plugins["entries"]]);
      const [entry = {}] = listRecords([entries[ID]]);
      const isNamed = (list: unknown) => Array.isArray(list) && list.includes(ID);
      return [
        ...(enabled === false ? ["plugins.enabled is false, so no plugin is asked."] : []),
        ...(isNamed(deny) ? [`plugins.deny names ${ID}, so it is not asked.`] : []),
        ...(Array.isArray(allow) && allow.length > 0 && !isNamed(allow)
          ? [`plugins.allow does not name ${ID}, so it is not asked. Run openclaw plugins enable ${ID}.`]
          : []),
        ...(entry["enabled"] === true
          ? []
          : [`OpenClaw only asks enabled plugins. Run openclaw plugins enable ${ID}.`]),
      ];
    },
  },
  ...moduleSettings(
    (line) => `${moduleText("openclaw", "before_tool_call", line)}
function folderOf(api, agent) {
  try {
    return api.runtime.agent.resolveAgentWorkspaceDir(api.config, agent);
  } catch {
    // The guard takes the current one then.
    return undefined;
  }
}

export default {
  id: ${JSON.stringify(ID)},
  name: "Haft guard",
  register(api) {
    const decide = async (event, ctx) => {
      // In this mode a tool of the same name takes a program, and no command.
      const tool = event.toolKind === "code_mode_exec" ? event.toolKind : event.toolName;
      const call = {
        tool,
        args: event.params,
        cwd: folderOf(api, ctx?.agentId),
        session: ctx?.sessionKey,
        // Of others it asks nobody.
        attended: ctx?.channelId !== undefined,
      };
      try {
        const answer = await ask(call);
        if (answer.block === true) return { block: true, blockReason: answer.blockReason ?? answer.reason };
        return answer.requireApproval === undefined ? undefined : { requireApproval: answer.requireApproval };
      } catch (error) {
        // Versions before 2026.9 run a call whose hook throws.
        return { block: true, blockReason: error.message };
      }
    };
    api.on("before_tool_call", decide, { priority: 1000, timeoutMs: 14000 });
  },
};
`,
  ),
  companionFiles: {
    "openclaw.plugin.json": jsonText({
      id: ID,
      name: "Haft guard",
      description: ABOUT,
      activation: { onStartup: true, onCapabilities: ["hook"] },
      configSchema: { type: "object", additionalProperties: false },
    }),
    "package.json": jsonText({
      name: ID,
      version: "1.0.0",
      private: true,
      description: ABOUT,
      type: "module",
      openclaw: { extensions: ["./index.js"] },
    }),
  },
  next: `Enable the plugin: openclaw plugins enable ${ID}. openclaw plugins inspect ${ID} --runtime shows whether it is loaded.`,
  open: [
    "If OpenClaw cannot load the plugin, the guard has no effect.",
    "openclaw agent exec and openclaw agent --local do not load such plugins, so they do not ask the guard (seen with 2026.9.6). The Gateway does.",
    "Another plugin can change the arguments of a call after the guard. Other runtimes (for example the tools of Codex) may not ask it.",
  ],
  forbidden: (file, cwd) => ({ tool: "write", args: { path: file, content: "{}" }, cwd }),
};

function stateFolder({ home, env }: SettingsLocation): string {
  return env["OPENCLAW_STATE_DIR"] || join(env["OPENCLAW_HOME"] || home, ".openclaw");
}

function jsonText(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
