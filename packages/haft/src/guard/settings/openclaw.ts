import { join } from "node:path";
import type { AgentSettings } from "./agent-settings.ts";
import { moduleText, OWN_MODULE } from "./module-text.ts";
import { says } from "./outcomes.ts";
import { ownFile } from "./own-file.ts";

const ID = "haft-guard";
const ABOUT = OWN_MODULE.replace("// ", "");

/** OpenClaw: a plugin of its own, in a folder of which its Gateway reads the manifest first. It asks by OpenClaw's approvals. */
export const openclawSettings: AgentSettings = {
  id: "openclaw",
  isModule: true,
  file({ home, project, env }) {
    const own = env["OPENCLAW_STATE_DIR"] || join(env["OPENCLAW_HOME"] || home, ".openclaw");
    return join(project === undefined ? own : join(project, ".openclaw"), `extensions/${ID}/index.js`);
  },
  ...ownFile({
    write: (line) => `${moduleText("openclaw", "before_tool_call", line)}
function folderOf(api, agent) {
  try {
    return api.runtime.agent.resolveAgentWorkspaceDir(api.config, agent);
  } catch {
    return process.cwd();
  }
}

export default {
  id: ${JSON.stringify(ID)},
  name: "Haft guard",
  register(api) {
    const decide = async (event, ctx) => {
      // In this mode a tool of the same name takes a program, and no command.
      const tool = event.toolKind === "code_mode_exec" ? event.toolKind : event.toolName;
      const call = { tool, args: event.params, cwd: folderOf(api, ctx?.agentId), session: ctx?.sessionKey };
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
    read: (text) => (text.startsWith(OWN_MODULE) ? [text] : []),
  }),
  beside: {
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
  untried: true,
  next: `Restart the Gateway, or openclaw plugins reload ${ID}; openclaw plugins inspect ${ID} --runtime shows whether it is loaded. Where plugins.allow is set, it has to name ${ID}; in a workspace, plugins.entries has to enable it.`,
  open: [
    "openclaw agent exec and openclaw agent --local load no such plugin, so they ask nobody (seen with 2026.9.6); the Gateway does.",
    "Another plugin can change the arguments of a call behind the guard; some other runtimes (Codex's own tools …) ask it late or never.",
    "Settings can switch plugins off (plugins.enabled, plugins.deny, plugins.entries).",
  ],
  forbidden: (file, cwd) => ({ tool: "write", args: { path: file, content: "{}" }, cwd }),
  blocks: (outcome) => says(outcome, ["block"], true),
};

function jsonText(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
