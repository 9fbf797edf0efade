import { defineTool, requireKnownOptions, type Tool, Type } from "@haft/plugin-sdk";
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

const DESCRIPTION =
  "Run a bash script in the workspace to its end. Returns the end of its output; an exit code other than 0 is an error.";

/** Configures {@link createBashTool}. */
export interface BashToolOptions {
  /** Key of the owner. Default: the key of the calling session. */
  scopeKey?: string;
}

const load = () => import("./bash-steps.ts");

/**
 * Creates the `bash` tool, which runs a script to its end. A failing script is an error with its output and exit code.
 *
 * A call fails with `SCRIPT_FAILED` or `SCRIPT_TIMED_OUT`; with `COMMANDS_UNAVAILABLE` if the workspace has only files; with
 * `EXEC_SELF_APPROVAL` or `ABORTED`; or with a workspace error.
 *
 * @example
 * ```ts run
 * import { createBashTool } from "@haft/tools-exec";
 * const bash = createBashTool({ scopeKey: "nightly-build" });
 * bash.effects; // => ["execute"]
 * ```
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
