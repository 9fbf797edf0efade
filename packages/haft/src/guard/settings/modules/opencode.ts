import { isAbsolute, join } from "node:path";
import type { AgentSettings } from "../agent-settings.ts";
import { says } from "../outcomes.ts";
import { ownFile } from "../own-file.ts";
import { moduleText, OWN_MODULE } from "./module-text.ts";

/** opencode: a plugin of its own, for which throwing is a denial. */
export const opencodeSettings: AgentSettings = {
  id: "opencode",
  isModule: true,
  file({ home, project, env }) {
    const { XDG_CONFIG_HOME: xdg = "" } = env;
    const own = join(isAbsolute(xdg) ? xdg : join(home, ".config"), "opencode");
    return join(project === undefined ? own : join(project, ".opencode"), "plugins/haft-guard.js");
  },
  ...ownFile({
    write: (line) => `${moduleText("opencode", "tool.execute.before", line)}
export const HaftGuard = async ({ directory }) => ({
  "tool.execute.before": async ({ tool, sessionID }, output) => {
    const answer = await ask({ tool, args: output.args, cwd: directory, session: sessionID, attended: false });
    if (answer.block === true) throw new Error(answer.reason);
  },
});
`,
    read: (text) => (text.startsWith(OWN_MODULE) ? [text] : []),
  }),
  open: ["A plugin that opencode cannot load guards nothing."],
  forbidden: (file, cwd) => ({ tool: "write", args: { filePath: file, content: "{}" }, cwd }),
  blocks: (outcome) => says(outcome, ["block"], true),
};
