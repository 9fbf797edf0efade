import type { ToolEffect, ToolOutcome } from "@haft/core";

/** Describes a tool of this machine's sessions to hosts. */
export interface OfferedTool {
  /** Names the tool in sessions: `read`. The command is `tool.read`. */
  readonly name: string;
  /** Describes the tool to the model and the approving operator, cut at 1,024 characters. */
  readonly description: string;
  /** Contains the JSON Schema of the parameters, an object. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Lists all possible effects on the node. */
  readonly effects: readonly ToolEffect[];
}

/** Contains the session operations for calls, as in a `Session` of `@haft/core/kernel`. */
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
