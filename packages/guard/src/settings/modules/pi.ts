import { join } from "node:path";
import type { AgentSettings } from "../agent-settings.ts";
import { folderFromVariable } from "../variables.ts";
import { moduleSettings, moduleText } from "./module-text.ts";

/** It asks if pi has a screen. */
export const piSettings: AgentSettings = {
  id: "pi",
  file: ({ home, project, env }) =>
    join(
      project === undefined
        ? (folderFromVariable(env, "PI_CODING_AGENT_DIR", home) ?? join(home, ".pi/agent"))
        : join(project, ".pi"),
      "extensions/haft-guard.ts",
    ),
  ...moduleSettings(
    (line) => `${moduleText("pi", "tool_call", line).replace("\n", "\n// @ts-nocheck\n")}
export default function (pi) {
  pi.on("tool_call", async (event, ctx) => {
    const answer = await ask({
      tool: event.toolName,
      args: event.input,
      cwd: ctx?.cwd,
      session: ctx?.sessionManager?.getSessionId?.(),
      attended: ctx?.hasUI === true,
    });
    if (answer.block === true) return { block: true, reason: answer.reason };
    if (answer.confirm === undefined) return undefined;
    const { title, text } = answer.confirm;
    if (await ctx.ui.confirm(title, text)) return undefined;
    return { block: true, reason: "The user was asked, and said no. " + text };
  });
}
`,
  ),
  open: [
    "If pi cannot load the extension, the guard has no effect.",
    "The guard does not check commands that you type after !.",
  ],
  forbidden: (file, cwd) => ({ tool: "write", args: { path: file, content: "{}" }, cwd }),
};
