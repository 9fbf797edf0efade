import type { SessionKind } from "../contract/policy-port.ts";
import type { Workspace } from "../contract/ports.ts";
import type { ToolOutcome, ToolResult } from "../contract/result.ts";
import type {
  AnyTool,
  ModelFacts,
  ParameterSchema,
  ParametersOf,
  Tool,
  ToolContext,
  ToolUpdate,
} from "../contract/tool.ts";
import type { CallOptions } from "../kernel/call-options.ts";

/** The outcome of a call of a bound tool. With the kind `ok`, `details` are those of the tool. */
export type BoundOutcome<Details = unknown> =
  | (Extract<ToolOutcome, { kind: "ok" }> & { details: Details })
  | Exclude<ToolOutcome, { kind: "ok" }>;

/** Options for a call of a bound tool. */
export interface BoundCallOptions<Details = unknown> extends Pick<CallOptions, "signal" | "deadlineMs"> {
  /** Receives what the tool has so far. The tool does not wait for it. */
  onUpdate?: ToolUpdate<Details>;
}

/**
 * A tool that is bound to a workspace, so that any code can call it. Each call goes through a private session: aliases,
 * repair, validation, limits, deadlines and abort apply, but of policy only the boundary of the workspace.
 *
 * @example
 * ```ts
 * import type { BoundTool } from "@haft/core/kernel";
 *
 * // Calls a tool with the JSON text of a model, and returns a text for it in any case.
 * export async function answer(tool: BoundTool, json: string): Promise<string> {
 *   const { kind, content } = await tool.call(json);
 *   const texts = content.map((block) => (block.type === "text" ? block.text : `(${block.mimeType})`));
 *   return kind === "ok" ? texts.join("\n") : `Failed: ${texts.join("\n")}`;
 * }
 * ```
 */
export interface BoundTool<
  Parameters extends ParameterSchema | { readonly "~standard": object } = ParameterSchema,
  Details = unknown,
> extends Omit<Tool<Parameters, Details>, "execute" | "label"> {
  /** The name for people. */
  label: string;
  /**
   * Runs one call and never rejects.
   *
   * @param args The arguments: an object in any accepted spelling, or the JSON text of a model.
   */
  call(
    args: ParametersOf<Parameters> | string,
    options?: BoundCallOptions<Details>,
  ): Promise<BoundOutcome<Details>>;
  /**
   * Runs one call, for frameworks that pass tools around as objects with `execute`. A plugin may register it, too: called
   * by a session with its context, the call belongs to that session.
   *
   * @throws HaftError with code, text and receipt of the outcome, for every outcome other than `ok`
   */
  execute(
    toolCallId: string,
    args: ParametersOf<Parameters>,
    signal?: AbortSignal,
    onUpdate?: ToolUpdate<Details>,
    context?: ToolContext,
  ): Promise<ToolResult<Details>>;
}

/** The same tools, bound to a workspace. */
export type BoundTools<Tools extends Readonly<Record<string, AnyTool>>> = {
  readonly [Name in keyof Tools]: Tools[Name] extends Tool<infer Parameters, infer Details>
    ? BoundTool<Parameters, Details>
    : never;
};

/** The workspace in which bound tools act. */
export interface BoundTarget {
  /**
   * Returns the workspace; called before each call. It has to return the same one while nothing about it changes. The first
   * call opens it.
   */
  workspace(): Workspace | Promise<Workspace>;
  /** The kind of session that tools see. Default `main`. */
  kind?: SessionKind;
  /** What is known of the model that reads the results. It limits the size of a result. */
  model?: Partial<ModelFacts>;
  /** Ends what the calls started. Called once, after the last call has ended. */
  close?(): Promise<void>;
}

/** Tools that are bound to one workspace, and a function that ends what they started. */
export interface Bound<Tools extends Readonly<Record<string, AnyTool>>> {
  /** The tools, each under its name. */
  tools: BoundTools<Tools>;
  /**
   * Aborts running calls, waits for them, and ends what they started. Later calls get `SESSION_CLOSED`. A second call is
   * safe.
   */
  readonly close: () => Promise<void>;
}
