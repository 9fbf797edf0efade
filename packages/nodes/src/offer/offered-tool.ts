import type { ToolEffect, ToolOutcome } from "@haft/core";

/** A tool of the sessions of a machine, as hosts see it. */
export interface OfferedTool {
  /** Name of the tool in sessions: `read`. The command is `tool.read`. */
  readonly name: string;
  /** Description for the model and for the operator who approves it. It is cut at 1,024 characters. */
  readonly description: string;
  /** JSON Schema of the parameters, which is an object. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** All effects that a call may have on the node. */
  readonly effects: readonly ToolEffect[];
}

/** The operations of a session that calls need: a `Session` of `@haft/core/kernel` has them. */
export interface OfferingSession {
  /** See `Session.call`. */
  call(
    request: { readonly id?: string; readonly name: string; readonly arguments?: unknown },
    options?: { readonly signal?: AbortSignal },
  ): Promise<ToolOutcome>;
  /** See `Session.releaseApproval`. */
  releaseApproval(approvalId: string): boolean;
  /** See `Session.subscribe`. */
  subscribe(
    listener: (event: { readonly type: string; toolCallId?: string; outcome?: ToolOutcome }) => void,
  ): () => void;
  /** See `Session.close`. */
  close(): Promise<void>;
}

export function toNodeCommandName(tool: string): string {
  return `tool.${tool}`;
}
