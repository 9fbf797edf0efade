import type { ToolContext, ToolUpdate } from "@haft/plugin-sdk";

/** A call of a tool that starts a command. */
export interface StartingCall<Options, Details> {
  readonly signal: AbortSignal;
  readonly onUpdate: ToolUpdate<Details> | undefined;
  readonly context: ToolContext;
  readonly options: Options;
}
