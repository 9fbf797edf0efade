import type { PluginToolContext, ToolContext, ToolResult } from "@haft/core";

/** What code of others has, once it is known to be a function. */
export type Method = (...given: unknown[]) => unknown;

/** What a tool says of itself, in the words of the Model Context Protocol. */
export interface Hints {
  readOnlyHint?: unknown;
  openWorldHint?: unknown;
}

export interface ForeignCall {
  toolCallId: string;
  /** The tool's own: it may do with them what it likes. */
  args: Record<string, unknown>;
  signal: AbortSignal;
  /** Tells what there is so far: any value that may be a result. Never throws. */
  update: (value: unknown) => void;
  context: ToolContext;
}

/** A tool of another framework, in the few words that all of them have in common. */
export interface ForeignTool {
  name: string;
  /** As it comes: what is no text is left out. */
  label?: unknown;
  /** Likewise. */
  description?: unknown;
  /** Of its parameters, in whatever library. */
  schema: unknown;
  hints?: Hints | undefined;
  optional?: boolean | undefined;
  /** Why it cannot be called here: the end of a sentence that begins with its name. */
  refused?: string | undefined;
  /** Whether its author wants a person asked about this call. */
  needsApproval?: ((args: Record<string, unknown>) => unknown) | undefined;
  /** Whether it is offered to a session. */
  isOffered?: (() => unknown) | undefined;
  /** Answers a result in any form, a promise of one, or several as an async iterable, of which the last counts. */
  run: (call: ForeignCall) => unknown;
  /** Reads what {@link run} answered. Default: `readResult`. */
  read?: (value: unknown) => ToolResult;
}

/** Tools that are made for each session: their names are known before. */
export interface ForeignFactory {
  names: readonly string[];
  optional?: boolean | undefined;
  make: (context: PluginToolContext) => readonly ForeignTool[] | Promise<readonly ForeignTool[]>;
}

/**
 * Whether an author wants a person asked, said by a function or for all calls.
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
