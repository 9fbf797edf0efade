import { checkOptions, foldersFromHere, MODEL, type OptionSchema, optionsSchema } from "@haft/core/internal";
import { bindTools, type BoundTool, type BoundTools } from "@haft/core/kernel";
import { type ModelFacts, withoutUndefined } from "@haft/plugin-sdk";
import type { HostProcessesOptions, HostWorkspaceOptions } from "@haft/workspace";
import type { HostPlace } from "@haft/workspace/internal/places";
import { createBashTool } from "../bash/bash-tool.ts";
import { DEFAULT_TIMEOUT_SECONDS } from "../defaults.ts";
import { createExecTool } from "../exec/exec-tool.ts";
import type { ExecPluginOptions } from "../plugin.ts";
import { createProcessTool } from "../process/process-tool.ts";

/** Where commands start, and how. */
export interface ExecToolsOptions extends ExecPluginOptions, Pick<HostWorkspaceOptions, "root" | "roots"> {
  /** Which variables commands get: a list of harmless ones by default, and nothing else of this process. */
  environment?: HostProcessesOptions["environment"];
  /** What is known of the model that reads the results, if one does: how much one result holds depends on it. */
  model?: Partial<ModelFacts>;
}

/** The command tools of one folder, each to be called by itself. */
export interface ExecTools extends BoundTools<{
  exec: ReturnType<typeof createExecTool>;
  process: ReturnType<typeof createProcessTool>;
  bash: ReturnType<typeof createBashTool>;
}> {
  /** All of them, for frameworks that take a list. */
  readonly all: readonly BoundTool[];
  /**
   * Ends every command that still runs, with what it has started. Later calls are answered `SESSION_CLOSED`. While no
   * command runs, this program can end without it.
   */
  close(): Promise<void>;
}

const NAMES: OptionSchema = { type: "array", items: { type: "string" } };

const OPTIONS = /* @__PURE__ */ optionsSchema<ExecToolsOptions>(
  {
    root: {
      type: "string",
      minLength: 1,
      description: "The folder where commands start. `~` is the home folder.",
    },
    roots: {
      "haft:kind": "object",
      description: "More folders where they may start, addressed as name:path.",
    },
    environment: {
      ...optionsSchema<NonNullable<HostProcessesOptions["environment"]>>({
        from: { "haft:kind": "object", description: "The variables of the host; process.env by default." },
        inherit: { ...NAMES, description: "More names of host variables to pass on; * ends one." },
        set: {
          "haft:kind": "object",
          additionalProperties: { type: "string" },
          description: "Variables for every command.",
        },
        allow: { ...NAMES, description: "Names that a call may set although they are refused by default." },
      }),
      description: "Which variables commands get.",
    },
    model: MODEL,
    backgroundMs: { "haft:kind": "milliseconds", description: "What a call waits when it does not say." },
    longestWaitMs: {
      "haft:kind": "milliseconds",
      description: "What a call waits at most, whatever it says.",
    },
    shell: { enum: ["bash", "sh", "workspace"], description: "The shell commands run in. Default bash." },
    allowBackground: { type: "boolean", description: "Whether commands may go on in the background." },
    timeoutSec: {
      type: "number",
      minimum: 0,
      description: `Seconds a command may run. Default ${DEFAULT_TIMEOUT_SECONDS}.`,
    },
    scopeKey: { type: "string", description: "Whose commands these are." },
    onExit: { "haft:kind": "function", description: "Told of each command in the background that ends." },
    notifyOnExitEmptySuccess: { type: "boolean", description: "Also of those that said nothing." },
    cleanupMs: { "haft:kind": "milliseconds", description: "For how long ended commands are kept." },
    inputWaitIdleMs: { "haft:kind": "milliseconds", description: "Silence that means waiting for input." },
  },
  ["root"],
);

/**
 * The command tools, bound to a folder of this machine and ready to be called. Nothing is started before the first call.
 *
 * No policy decides about commands and nothing contains them: what they may do is what this user may. A call that wishes to
 * be asked about (`ask`) or checked (`security`) is refused, never run unasked. For walls take `createSandboxedTools` of `haft`.
 *
 * A folder that cannot be opened is the outcome of the calls: `ROOT_INVALID`.
 *
 * @throws HaftError `INVALID_OPTIONS`
 */
export function createExecTools(given: ExecToolsOptions): ExecTools {
  checkOptions("createExecTools", given, OPTIONS);
  const { root, roots, environment, model, cleanupMs, inputWaitIdleMs, ...ofExec } = foldersFromHere(given);
  const { scopeKey } = ofExec;
  let opened: Promise<HostPlace> | undefined;
  const open = async () => {
    const { openHostPlace } = await import("@haft/workspace/internal/places");
    return openHostPlace(
      "createExecTools",
      withoutUndefined<HostWorkspaceOptions>({ root, roots }),
      withoutUndefined({ environment }),
    );
  };
  const { tools, close } = bindTools(
    {
      exec: createExecTool(ofExec),
      process: createProcessTool(withoutUndefined({ cleanupMs, inputWaitIdleMs, scopeKey })),
      bash: createBashTool(withoutUndefined({ scopeKey })),
    },
    withoutUndefined({
      model,
      workspace: async () => (await (opened ??= open())).workspace(),
      // What could not be opened was the outcome of the calls.
      close: async () => (await opened?.catch(() => undefined))?.close(),
    }),
  );
  return { ...tools, all: Object.values(tools), close };
}
