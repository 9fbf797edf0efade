import type { ToolEffect, ToolOutcome } from "@haft/core";

/** A tool of the sessions of a machine, as it is offered to hosts. */
export interface OfferedTool {
  /** As the sessions have it: `read`. The command is `tool.read`. */
  readonly name: string;
  /** For the model, and for the operator who approves it; of more than 1,024 characters the first ones. */
  readonly description: string;
  /** JSON Schema of an object. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** All that any call of it may do there. */
  readonly effects: readonly ToolEffect[];
}

/** What of a session calls are made through: a `Session` of `@haft/core/kernel` is one. */
export interface OfferingSession {
  /** As `Session.call`. */
  call(
    request: { readonly id?: string; readonly name: string; readonly arguments?: unknown },
    options?: { readonly signal?: AbortSignal },
  ): Promise<ToolOutcome>;
  /** As `Session.releaseApproval`. */
  releaseApproval(approvalId: string): boolean;
  /** As `Session.subscribe`. */
  subscribe(
    listener: (event: { readonly type: string; toolCallId?: string; outcome?: ToolOutcome }) => void,
  ): () => void;
  /** As `Session.close`. */
  close(): Promise<void>;
}

export function toNodeCommandName(tool: string): string {
  return `tool.${tool}`;
}
