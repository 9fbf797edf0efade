import { defineTool, type Tool, requireKnownOptions } from "@haft/plugin-sdk";
import { needsPolicyDecision } from "../plan/refuse-request.ts";
import type { ExecToolDetails } from "./exec-result.ts";
import { execSchema, type ExecToolOptions } from "./exec-schema.ts";

const load = () => import("./run-exec.ts");

export const EXEC_OPTIONS: Readonly<Record<keyof ExecToolOptions, true>> = {
  backgroundMs: true,
  longestWaitMs: true,
  shell: true,
  allowBackground: true,
  timeoutSec: true,
  scopeKey: true,
  onExit: true,
  notifyOnExitEmptySuccess: true,
};

const IN_BASH = "Run a command in the workspace, in bash (sh where there is none).";
const IN_ANOTHER = "Run a shell command in the workspace.";

/** The `exec` tool: runs a shell command, and lets it go on in the background when it takes long. */
export function createExecTool(options: ExecToolOptions = {}): Tool<typeof execSchema, ExecToolDetails> {
  requireKnownOptions<ExecToolOptions>("createExecTool", options, EXEC_OPTIONS);
  const isForBash = (options.shell ?? "bash") === "bash";
  return defineTool({
    name: "exec",
    label: "Exec",
    description:
      `${isForBash ? IN_BASH : IN_ANOTHER} Answers its output and exit code; after yieldMs it goes on in the background, ` +
      "where process follows it. background is for servers, pty for interactive programs.",
    parameters: execSchema,
    effects: ["execute"],
    aliases: {
      command: ["cmd"],
      workdir: ["cwd"],
      timeoutSeconds: ["timeout"],
      yieldMs: ["yield_ms"],
      background: ["run_in_background"],
    },
    groups: ["runtime"],
    progress: { volatileDetails: ["durationMs", "pid", "startedAt", "sessionId"] },
    wantsPlan: needsPolicyDecision,
    async plan(params, { workspace }) {
      const { planExec } = await load();
      return planExec(params, workspace, options);
    },
    async execute(_toolCallId, params, signal, onUpdate, context) {
      const { runExec } = await load();
      return runExec(params, { signal, onUpdate, context, options });
    },
  });
}
