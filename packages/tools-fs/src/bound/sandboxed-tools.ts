import { invalidOptions } from "@haft/core";
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
 * Creates the `read` tool for a sandbox, independent of the calling session's workspace. Like the other tools for sandboxes, it sets
 * `sandbox: true` in its details.
 *
 * @param sandbox An open sandbox, which the tool does not close.
 * @param options `modelContextWindowTokens`: size of the model's context in tokens. Default: the value of the session.
 * @throws `SANDBOX_REQUIRED` for another workspace, `INVALID_OPTIONS`
 *
 * @example
 * ```ts
 * import type { SandboxWorkspace } from "@haft/sandbox";
 * import { createSandboxedReadTool } from "@haft/tools-fs";
 * declare const sandbox: SandboxWorkspace;
 * const read = createSandboxedReadTool(sandbox, { modelContextWindowTokens: 200_000 });
 * const outcome = await read.call({ path: "/workspace/setup.py", limit: 40 });
 * ```
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
 * Creates the `write` tool for a sandbox.
 *
 * @throws `SANDBOX_REQUIRED`, `INVALID_OPTIONS`
 *
 * @example
 * ```ts
 * import { createBubblewrapBackend, openSandbox, type SandboxSpec } from "@haft/sandbox";
 * import { createSandboxedWriteTool } from "@haft/tools-fs";
 * declare const spec: SandboxSpec;
 * const sandbox = await openSandbox(createBubblewrapBackend(), spec);
 * await createSandboxedWriteTool(sandbox).call({ path: "answer.txt", content: "42\n" });
 * await sandbox.close();
 * ```
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
 * Creates the `edit` tool for a sandbox.
 *
 * @throws `SANDBOX_REQUIRED`, `INVALID_OPTIONS`
 *
 * @example
 * ```ts
 * import type { SandboxWorkspace } from "@haft/sandbox";
 * import { createSandboxedEditTool } from "@haft/tools-fs";
 * declare const sandbox: SandboxWorkspace;
 * const edit = createSandboxedEditTool(sandbox, { maxFileBytes: 1024 * 1024 });
 * await edit.call({ path: "app.py", oldText: "DEBUG = True", newText: "DEBUG = False" });
 * ```
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

function requireSandbox(caller: string, workspace: Workspace): void {
  const given: { describe?: unknown } | null | undefined = workspace;
  if (typeof given?.describe !== "function")
    throw invalidOptions(`${caller} needs an open sandbox.`, "Pass the result of openSandbox.");
  const { target } = workspace.describe();
  if (target === "sandbox") return;
  const message = `A sandboxed tool needs a sandbox, and this workspace is on the ${target}.`;
  const fix = "Pass the result of openSandbox, or create the tool without sandboxed in its name.";
  throw fileToolError("SANDBOX_REQUIRED", message, { fix });
}

function withWindow(context: ToolContext, contextTokens: number): ToolContext {
  const model = { ...getModelFacts(context), contextTokens };
  return Object.create(context ?? null, { model: { value: model, enumerable: true } }) as ToolContext;
}

function inSandbox<Bound extends Tool<ParameterSchema, object>>(tool: Bound): Bound {
  const execute: Bound["execute"] = async (...call) => {
    const { details, ...result } = await tool.execute(...call);
    return { ...result, details: { ...details, sandbox: true } };
  };
  return { ...tool, execute };
}
