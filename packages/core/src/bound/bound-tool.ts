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

/** Describes the outcome of a bound tool; `ok` has the tool's `details`. */
export type BoundOutcome<Details = unknown> =
  | (Extract<ToolOutcome, { kind: "ok" }> & { details: Details })
  | Exclude<ToolOutcome, { kind: "ok" }>;

/** Controls a call of a bound tool. */
export interface BoundCallOptions<Details = unknown> extends Pick<CallOptions, "signal" | "deadlineMs"> {
  /** Receives partial results, without delaying the tool. */
  onUpdate?: ToolUpdate<Details>;
}

/**
 * Calls a tool in a workspace from any code. Each call uses a private session, with aliases, repair, validation, limits, deadlines and
 * abort. The workspace's boundary is the only policy.
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
  /** Names the tool for people. */
  label: string;
  /**
   * Runs one call and never rejects.
   *
   * @param args An object in any accepted spelling, or the JSON text of a model.
   */
  call(
    args: ParametersOf<Parameters> | string,
    options?: BoundCallOptions<Details>,
  ): Promise<BoundOutcome<Details>>;
  /**
   * Runs one call for frameworks that need `execute`. With the context of a session, as in a plugin, the call belongs to that session.
   *
   * @throws HaftError with code, text and receipt, unless the outcome is `ok`
   */
  execute(
    toolCallId: string,
    args: ParametersOf<Parameters>,
    signal?: AbortSignal,
    onUpdate?: ToolUpdate<Details>,
    context?: ToolContext,
  ): Promise<ToolResult<Details>>;
}

/** Contains the bound tools by name. */
export type BoundTools<Tools extends Readonly<Record<string, AnyTool>>> = {
  readonly [Name in keyof Tools]: Tools[Name] extends Tool<infer Parameters, infer Details>
    ? BoundTool<Parameters, Details>
    : never;
};

/** Selects the workspace of bound tools. */
export interface BoundTarget {
  /** Returns the workspace before each call: the same object, unless it changes. The first call opens it. */
  workspace(): Workspace | Promise<Workspace>;
  /** States the session kind. Default `main`. */
  kind?: SessionKind;
  /** Describes the model, which limits the size of results. */
  model?: Partial<ModelFacts>;
  /** Releases resources, once, after the last call. */
  close?(): Promise<void>;
}

/** Contains bound tools and a function to close them. */
export interface Bound<Tools extends Readonly<Record<string, AnyTool>>> {
  /** Contains the tools by name. */
  tools: BoundTools<Tools>;
  /** Aborts running calls, waits for them, and releases resources. Later calls get `SESSION_CLOSED`. */
  readonly close: () => Promise<void>;
}
