import { defineTool, requireKnownOptions, type Static, type Tool, Type } from "@haft/plugin-sdk";
import type { BashToolDetails } from "./bash-steps.ts";

/** The parameters of `bash`. */
export const bashSchema = Type.Object(
  {
    script: Type.String({ minLength: 1 }),
    timeout: Type.Optional(Type.Number({ minimum: 0, description: "Seconds; none by default." })),
    workdir: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);

/** Arguments of a call of `bash`. */
export type BashToolInput = Static<typeof bashSchema>;

const DESCRIPTION =
  "Run a bash script in the workspace to its end. Answers the end of its output; an exit code other than 0 is an error.";

/** Options of the `bash` tool. */
export interface BashToolOptions {
  /** Whose commands these are; those of the calling session by default. */
  scopeKey?: string;
}

const load = () => import("./bash-steps.ts");

/**
 * The `bash` tool: runs a script to its end. A script that fails is an error with its output and exit code.
 *
 * A call fails with `SCRIPT_FAILED`, `SCRIPT_TIMED_OUT`, `COMMANDS_UNAVAILABLE` (the workspace has files only), `EXEC_SELF_APPROVAL`,
 * `ABORTED`, or an error of the workspace.
 */
export function createBashTool(options: BashToolOptions = {}): Tool<typeof bashSchema, BashToolDetails> {
  requireKnownOptions<BashToolOptions>("createBashTool", options, { scopeKey: true });
  return defineTool<typeof bashSchema, BashToolDetails>({
    name: "bash",
    label: "Bash",
    description: DESCRIPTION,
    parameters: bashSchema,
    effects: ["execute"],
    aliases: { script: ["command", "cmd"], timeout: ["timeoutSeconds"], workdir: ["cwd"] },
    groups: ["runtime"],
    progress: { volatileDetails: ["durationMs", "sessionId", "fullOutputPath"] },
    async plan(params, { workspace }) {
      const { planScript } = await load();
      return planScript(params, workspace);
    },
    async execute(_toolCallId, params, signal, onUpdate, context) {
      const { sessionBook, startScript, waitForCommand, scriptResult } = await load();
      const book = sessionBook(context.workspace, options.scopeKey ?? context.sessionKey);
      const call = { params, signal, context, book };
      const session = await startScript(call);
      await waitForCommand(book, session, { signal, onUpdate });
      return scriptResult(call, session);
    },
  });
}
