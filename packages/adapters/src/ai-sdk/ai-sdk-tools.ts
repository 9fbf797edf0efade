import type { ToolOutcome, ToolResult } from "@haft/core";

/** A result in the AI SDK's format. */
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

/**
 * Progress of a running call.
 *
 * @example
 * ```ts
 * import type { AISDKProgress } from "@haft/adapters/ai-sdk";
 * import type { ToolOutcome } from "@haft/core";
 * const isRunning = (output: AISDKProgress | ToolOutcome): output is AISDKProgress => output.kind === "running";
 * ```
 */
export interface AISDKProgress extends ToolResult {
  /** Marks progress. */
  kind: "running";
}

/** Result of `execute`: the outcome, or with `progress` a generator of progress that ends with it. */
export type AISDKExecution = Promise<ToolOutcome> | AsyncGenerator<AISDKProgress | ToolOutcome, void, void>;

/**
 * A tool of a session as a dynamic tool of the AI SDK.
 *
 * @example
 * ```ts
 * import { toAISDK, type AISDKTool } from "@haft/adapters/ai-sdk";
 * import type { Session } from "@haft/core/kernel";
 * declare const session: Session;
 * const read: AISDKTool | undefined = toAISDK(session).tools["read"];
 * const outcome = await read?.execute({ path: "README.md" }, { toolCallId: "call_1" });
 * ```
 */
export interface AISDKTool<Execution extends AISDKExecution = Promise<ToolOutcome>> {
  /** The types are unknown at compile time. */
  type: "dynamic";
  /** Description for the model. */
  description: string;
  /** The tool's JSON Schema as a Standard Schema. It accepts every value: the session validates. */
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
  /** Runs the call in the session, concurrently if it only reads. Always resolves to an outcome. */
  execute: (
    input: unknown,
    options: { toolCallId: string; abortSignal?: AbortSignal | undefined; messages?: unknown },
  ) => Execution;
  /** Returns the text of an outcome, or texts and images in order. */
  toModelOutput: (options: { toolCallId: string; input: unknown; output: unknown }) => AISDKToolOutput;
  /** Whether the SDK asks a person first. Present with `approvals: "ai-sdk"`, for AI SDK 6; version 7 uses `toolApproval`. */
  needsApproval?: (input: unknown, options: { toolCallId: string }) => Promise<boolean>;
}

/**
 * Result of {@link toAISDK}: options for `generateText`, `streamText` and agents.
 *
 * @example
 * ```ts
 * import { toAISDK, type AISDKTools } from "@haft/adapters/ai-sdk";
 * import type { Session } from "@haft/core/kernel";
 * declare const session: Session;
 * const forSdk: AISDKTools = toAISDK(session);
 * console.log(Object.keys(forSdk.tools).join(", "));
 * ```
 */
export interface AISDKTools<Execution extends AISDKExecution = Promise<ToolOutcome>> {
  /** The session's tools by name. */
  tools: Record<string, AISDKTool<Execution>>;
  /** Passes calls that the SDK cannot parse to the session, which records them. */
  repairToolCall: <Call extends { toolName: string; input: string }>(options: {
    toolCall: Call;
    tools: object;
  }) => Promise<Call>;
  /** The same function under its name in AI SDK 6. */
  experimental_repairToolCall: AISDKTools["repairToolCall"];
  /** Selects calls about which the SDK asks a person. Present with `approvals: "ai-sdk"`, for AI SDK 7. */
  toolApproval?: (options: {
    toolCall: { toolName: string; input: unknown };
  }) => Promise<{ type: "user-approval"; reason: string } | undefined>;
}
