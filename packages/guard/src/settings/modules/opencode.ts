import { isAbsolute, join } from "node:path";
import type { AgentSettings } from "../agent-settings.ts";
import { moduleSettings, moduleText } from "./module-text.ts";

export const opencodeSettings: AgentSettings = {
  id: "opencode",
  file({ home, project, env }) {
    const { XDG_CONFIG_HOME: xdg = "" } = env;
    const userFolder = join(isAbsolute(xdg) ? xdg : join(home, ".config"), "opencode");
    return join(project === undefined ? userFolder : join(project, ".opencode"), "plugins/haft-guard.js");
  },
  ...moduleSettings(
    (line) => `${moduleText("opencode", "tool.execute.before", line)}
export const HaftGuard = async ({ directory }) => ({
  "tool.execute.before": async ({ tool, sessionID }, output) => {
    const answer = await ask({ tool, args: output.args, cwd: directory, session: sessionID, attended: false });
    if (answer.block === true) throw new Error(answer.reason);
  },
});
`,
  ),
  open: ["If opencode cannot load the plugin, the guard has no effect."],
  forbidden: (file, cwd) => ({ tool: "write", args: { filePath: file, content: "{}" }, cwd }),
};
