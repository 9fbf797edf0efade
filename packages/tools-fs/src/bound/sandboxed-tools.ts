import { invalidOptions } from "@haft/core/internal";
import { bindTools, type BoundTools } from "@haft/core/kernel";
import {
  type ParameterSchema,
  requireKnownOptions,
  type Tool,
  type ToolContext,
  type Workspace,
} from "@haft/plugin-sdk";
import type { ChangeToolOptions } from "../changes/tool-options.ts";
import { getModelFacts } from "../content/model-facts.ts";
import { BOUND_CHANGES } from "../defaults.ts";
import { createEditTool } from "../edit/edit.ts";
import { fileToolError } from "../errors.ts";
import { createReadTool, type ReadToolOptions } from "../read/read.ts";
import { createWriteTool } from "../write/write.ts";

/**
 * The `read` tool bound to a sandbox, whatever workspace the calling session has, if it is a session that calls. Like those
 * below, it says `sandbox: true` in its details.
 *
 * @param sandbox A sandbox that is open; it is not closed by the tool.
 * @param options `modelContextWindowTokens`: context window of the model that reads the results, in tokens; what the
 *   session knows by default
 * @throws HaftError `SANDBOX_REQUIRED` for a workspace that is not in a sandbox, `INVALID_OPTIONS`
 */
export function createSandboxedReadTool(
  sandbox: Workspace,
  options: Omit<ReadToolOptions, "workspace"> & { modelContextWindowTokens?: number } = {},
): BoundTools<{ read: ReturnType<typeof createReadTool> }>["read"] {
  requireSandbox("createSandboxedReadTool", sandbox);
  requireKnownOptions<typeof options>("createSandboxedReadTool", options, {
    imageLimits: true,
    modelContextWindowTokens: true,
  });
  const { modelContextWindowTokens: contextTokens, ...others } = options;
  const tool = createReadTool(others);
  const read = inSandbox<typeof tool>({
    ...tool,
    execute: (id, params, signal, onUpdate, context) => {
      const inside = contextTokens === undefined ? context : withWindow(context, contextTokens);
      return tool.execute(id, params, signal, onUpdate, inside);
    },
  });
  return bindTools({ read }, { workspace: () => sandbox }).tools.read;
}

/**
 * The `write` tool bound to a sandbox.
 *
 * @throws HaftError `SANDBOX_REQUIRED`, `INVALID_OPTIONS`
 */
export function createSandboxedWriteTool(
  sandbox: Workspace,
  options: Omit<ChangeToolOptions, "workspace"> = {},
): BoundTools<{ write: ReturnType<typeof createWriteTool> }>["write"] {
  requireSandbox("createSandboxedWriteTool", sandbox);
  requireKnownOptions("createSandboxedWriteTool", options, BOUND_CHANGES);
  const write = inSandbox(createWriteTool(options));
  return bindTools({ write }, { workspace: () => sandbox }).tools.write;
}

/**
 * The `edit` tool bound to a sandbox.
 *
 * @throws HaftError `SANDBOX_REQUIRED`, `INVALID_OPTIONS`
 */
export function createSandboxedEditTool(
  sandbox: Workspace,
  options: Omit<ChangeToolOptions, "workspace"> = {},
): BoundTools<{ edit: ReturnType<typeof createEditTool> }>["edit"] {
  requireSandbox("createSandboxedEditTool", sandbox);
  requireKnownOptions("createSandboxedEditTool", options, BOUND_CHANGES);
  const edit = inSandbox(createEditTool(options));
  return bindTools({ edit }, { workspace: () => sandbox }).tools.edit;
}

/** Somebody who asks for a sandboxed tool must not get one that writes to the host. */
function requireSandbox(caller: string, workspace: Workspace): void {
  const given: { describe?: unknown } | null | undefined = workspace;
  if (typeof given?.describe !== "function")
    throw invalidOptions(`${caller} takes a sandbox that is open.`, "Give it what openSandbox answers.");
  const { target } = workspace.describe();
  if (target === "sandbox") return;
  const message = `A sandboxed tool needs a sandbox, and this workspace is on the ${target}.`;
  const fix = "Give it what openSandbox answers, or make the tool without sandboxed in its name.";
  throw fileToolError("SANDBOX_REQUIRED", message, { fix });
}

/** A context may have getters: the rest stays what it was. */
function withWindow(context: ToolContext, contextTokens: number): ToolContext {
  const model = { ...getModelFacts(context), contextTokens };
  return Object.create(context ?? null, { model: { value: model, enumerable: true } }) as ToolContext;
}

/** The tool says in its details that it acts in a sandbox. */
function inSandbox<Bound extends Tool<ParameterSchema, object>>(tool: Bound): Bound {
  const execute: Bound["execute"] = async (...call) => {
    const { details, ...result } = await tool.execute(...call);
    return { ...result, details: { ...details, sandbox: true } };
  };
  return { ...tool, execute };
}
