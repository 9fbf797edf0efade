import type { ToolContext, ToolResult, Workspace } from "@haft/core";
import { createEditTool, type EditToolOptions } from "../edit/edit-tool.ts";
import { fileToolError } from "../errors.ts";
import { modelOf } from "../model-of.ts";
import { createReadTool, type ReadToolOptions } from "../read/read-tool.ts";
import { createWriteTool, type WriteToolOptions } from "../write/write-tool.ts";

export interface SandboxedReadToolOptions extends Omit<ReadToolOptions, "workspace"> {
  /** Context window of the model that reads the results, in tokens; what the session knows by default. */
  modelContextWindowTokens?: number;
}

export interface SandboxedWriteToolOptions extends Omit<WriteToolOptions, "workspace"> {}

export interface SandboxedEditToolOptions extends Omit<EditToolOptions, "workspace"> {}

/**
 * The `read` tool bound to a sandbox, whatever workspace the calling session has. Like those below, it says
 * `sandbox: true` in its details.
 *
 * @param sandbox A sandbox that is open; it is not closed by the tool.
 * @throws HaftError `SANDBOX_REQUIRED` for a workspace that is not in a sandbox
 */
export function createSandboxedReadTool(
  sandbox: Workspace,
  options: SandboxedReadToolOptions = {},
): ReturnType<typeof createReadTool> {
  requireSandbox(sandbox);
  const { modelContextWindowTokens: contextTokens, ...others } = options;
  const tool = createReadTool({ ...others, workspace: sandbox });
  return {
    ...tool,
    async execute(id, params, signal, onUpdate, context) {
      const inside = contextTokens === undefined ? context : withWindow(context, contextTokens);
      return inSandbox(await tool.execute(id, params, signal, onUpdate, inside));
    },
  };
}

/**
 * The `write` tool bound to a sandbox.
 *
 * @throws HaftError `SANDBOX_REQUIRED`
 */
export function createSandboxedWriteTool(
  sandbox: Workspace,
  options: SandboxedWriteToolOptions = {},
): ReturnType<typeof createWriteTool> {
  requireSandbox(sandbox);
  const tool = createWriteTool({ ...options, workspace: sandbox });
  return { ...tool, execute: async (...call) => inSandbox(await tool.execute(...call)) };
}

/**
 * The `edit` tool bound to a sandbox.
 *
 * @throws HaftError `SANDBOX_REQUIRED`
 */
export function createSandboxedEditTool(
  sandbox: Workspace,
  options: SandboxedEditToolOptions = {},
): ReturnType<typeof createEditTool> {
  requireSandbox(sandbox);
  const tool = createEditTool({ ...options, workspace: sandbox });
  return { ...tool, execute: async (...call) => inSandbox(await tool.execute(...call)) };
}

/** Somebody who asks for a sandboxed tool must not get one that writes to the host. */
function requireSandbox(workspace: Workspace): void {
  const { place } = workspace.describe();
  if (place === "sandbox") return;
  throw fileToolError(
    "SANDBOX_REQUIRED",
    `A sandboxed tool needs a sandbox, and this workspace is on the ${place}.`,
    {
      fix: "Give it what openSandbox answers, or make the tool without sandboxed in its name.",
    },
  );
}

/** A context may have getters: the rest stays what it was. */
function withWindow(context: ToolContext, contextTokens: number): ToolContext {
  const model = { ...modelOf(context), contextTokens };
  return Object.create(context ?? null, { model: { value: model, enumerable: true } }) as ToolContext;
}

function inSandbox<Details extends object>({ details, ...result }: ToolResult<Details>): ToolResult<Details> {
  return { ...result, details: { ...details, sandbox: true } };
}
