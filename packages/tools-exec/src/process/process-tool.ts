import { defineTool, type Tool, requireKnownOptions } from "@haft/plugin-sdk";
import type { ProcessToolDetails } from "./process-details.ts";
import { isInput, READ_ONLY_ACTIONS, processSchema, type ProcessToolOptions } from "./process-schema.ts";
import { planProcess, runProcess } from "./run-process.ts";

/** The `process` tool: follows, steers and ends the commands that `exec` left in the background. */
export function createProcessTool(
  options: ProcessToolOptions = {},
): Tool<typeof processSchema, ProcessToolDetails> {
  requireKnownOptions<ProcessToolOptions>("createProcessTool", options, {
    cleanupMs: true,
    scopeKey: true,
    inputWaitIdleMs: true,
  });
  return defineTool<typeof processSchema, ProcessToolDetails>({
    name: "process",
    label: "Process",
    description:
      "Manage background commands: list, poll (new output; waits timeout), log (all output), write, send-keys, submit " +
      "(Enter, or the end of input without a terminal), paste, resize (cols, rows), kill, clear (forget an ended one), remove (end and forget).",
    parameters: processSchema,
    effects: ["execute"],
    aliases: { sessionId: ["session_id", "session", "id"], timeout: ["timeoutMs"], cols: ["columns"] },
    groups: ["runtime"],
    progress: {
      volatileArguments: ["timeout"],
      volatileDetails: ["retryInMs"],
      isPoll: ({ action }) => READ_ONLY_ACTIONS.includes(String(action)),
    },
    wantsPlan: ({ action }) => isInput(action),
    // Not loaded late, as what runs commands is: a poll has to be known before the command it waits for can end.
    plan: (params, context) => planProcess(params, context, options),
    execute: (_toolCallId, params, signal, _onUpdate, context) =>
      runProcess(params, signal, context, options),
  });
}
