import type { ToolContext, ToolUpdate } from "@haft/plugin-sdk";

export interface StartingCall<Options, Details> {
  readonly signal: AbortSignal;
  readonly onUpdate: ToolUpdate<Details> | undefined;
  readonly context: ToolContext;
  readonly options: Options;
}
