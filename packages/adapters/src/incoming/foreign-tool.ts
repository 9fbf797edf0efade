import type { PluginToolContext, ToolContext, ToolResult } from "@haft/core";

/** A function of foreign code. */
export type Method = (...given: unknown[]) => unknown;

/** A tool's hints, in the terms of the Model Context Protocol. */
export interface Hints {
  readOnlyHint?: unknown;
  openWorldHint?: unknown;
}

export interface ForeignCall {
  toolCallId: string;
  /** A copy, which the tool may change. */
  args: Record<string, unknown>;
  signal: AbortSignal;
  /** Reports progress: any value that may be a result. Never throws. */
  update: (value: unknown) => void;
  context: ToolContext;
}

export interface ForeignTool {
  name: string;
  /** Ignored unless it is text. */
  label?: unknown;
  /** Ignored unless it is text. */
  description?: unknown;
  /** Schema of the parameters, of any library. */
  schema: unknown;
  hints?: Hints | undefined;
  optional?: boolean | undefined;
  /** Reason against calls: the end of a sentence that begins with its name. */
  refused?: string | undefined;
  /** The author requires approval. */
  needsApproval?: ((args: Record<string, unknown>) => unknown) | undefined;
  /** Whether a session gets the tool. */
  isOffered?: (() => unknown) | undefined;
  /** Returns a result in any form, a promise, or an async iterable, whose last value counts. */
  run: (call: ForeignCall) => unknown;
  /** Converts the value of {@link run}. Default: `readResult`. */
  read?: (value: unknown) => ToolResult;
}

/** Makes tools for each session. Their names are known before. */
export interface ForeignFactory {
  names: readonly string[];
  optional?: boolean | undefined;
  make: (context: PluginToolContext) => readonly ForeignTool[] | Promise<readonly ForeignTool[]>;
}

/**
 * Converts the author's approval setting, a function or a constant.
 *
 * @param ask calls that function
 */
export function toApprovalCheck(
  given: unknown,
  ask: (own: Method, args: Record<string, unknown>) => unknown,
): ForeignTool["needsApproval"] {
  if (typeof given === "function") return (args) => ask(given as Method, args);
  return given === true ? () => true : undefined;
}
