import type { ToolOutcome, ToolResult } from "@haft/core";

/** What a model reads of a call, as the AI SDK has it. */
export type AISDKToolOutput =
  | { type: "text"; value: string }
  | { type: "error-text"; value: string }
  | {
      type: "content";
      value: (
        | { type: "text"; text: string }
        | { type: "file"; data: { type: "data"; data: string }; mediaType: string }
        // Version 6.
        | { type: "image-data"; data: string; mediaType: string }
      )[];
    };

/** What a running call has so far, for whoever watches a stream of the SDK. */
export interface AISDKProgress extends ToolResult {
  /** Tells it from outcomes. */
  kind: "running";
}

/** What `execute` answers: what comes of the call; with `progress` after all that it reports. */
export type AISDKExecution = Promise<ToolOutcome> | AsyncGenerator<AISDKProgress | ToolOutcome, void, void>;

/** One tool of a session, as a dynamic tool of the AI SDK. */
export interface AISDKTool<Execution extends AISDKExecution = Promise<ToolOutcome>> {
  /** Its types are not known when the host is compiled. */
  type: "dynamic";
  /** For the model. */
  description: string;
  /** A Standard Schema with the tool's own JSON Schema. It refuses nothing: that is the kernel's to do. */
  inputSchema: {
    "~standard": {
      version: 1;
      vendor: "haft";
      validate: (value: unknown) => { value: unknown };
      jsonSchema: {
        input: (options: { target: string }) => Record<string, unknown>;
        output: (options: { target: string }) => Record<string, unknown>;
      };
    };
  };
  /** Runs the call in the session, what only reads beside others of that kind. Comes to its outcome, whatever happens. */
  execute: (
    input: unknown,
    options: { toolCallId: string; abortSignal?: AbortSignal | undefined; messages?: unknown },
  ) => Execution;
  /** What the model reads of an outcome: its text, or its texts and images in their order. */
  toModelOutput: (options: { toolCallId: string; input: unknown; output: unknown }) => AISDKToolOutput;
  /** Whether the SDK is to ask a person first; with `approvals: "ai-sdk"`, for AI SDK 6. Version 7 has `toolApproval`. */
  needsApproval?: (input: unknown, options: { toolCallId: string }) => Promise<boolean>;
}

/** What `generateText`, `streamText` and agents of the AI SDK need to run the tools of a session. */
export interface AISDKTools<Execution extends AISDKExecution = Promise<ToolOutcome>> {
  /** The tools that the session offers, by their names. */
  tools: Record<string, AISDKTool<Execution>>;
  /** Hands calls that the SDK cannot read to the session, which answers them and keeps them in its ledger. */
  repairToolCall: <Call extends { toolName: string; input: string }>(options: {
    toolCall: Call;
    tools: object;
  }) => Promise<Call>;
  /** The same, for AI SDK 6. */
  experimental_repairToolCall: AISDKTools["repairToolCall"];
  /** With `approvals: "ai-sdk"`: what the SDK asks a person about, for AI SDK 7. */
  toolApproval?: (options: {
    toolCall: { toolName: string; input: unknown };
  }) => Promise<{ type: "user-approval"; reason: string } | undefined>;
}
