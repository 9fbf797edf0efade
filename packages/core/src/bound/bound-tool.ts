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

/** What came of a call of a bound tool. Of one that is `ok`, `details` are what the tool documents. */
export type BoundOutcome<Details = unknown> =
  | (Extract<ToolOutcome, { kind: "ok" }> & { details: Details })
  | Exclude<ToolOutcome, { kind: "ok" }>;

/** What may be said with a call of a bound tool. */
export interface BoundCallOptions<Details = unknown> extends Pick<CallOptions, "signal" | "deadlineMs"> {
  /** Hears what the tool has so far. Never awaited. */
  onUpdate?: ToolUpdate<Details>;
}

/**
 * A tool that anybody can call, since it is bound to the place it acts in. Every call goes through a private session, so
 * aliases, repair, validation, bounds, deadlines and abort hold as anywhere; no policy but the boundary of the place does.
 */
export interface BoundTool<
  Parameters extends ParameterSchema | { readonly "~standard": object } = ParameterSchema,
  Details = unknown,
> extends Omit<Tool<Parameters, Details>, "execute" | "label"> {
  /** For people. */
  label: string;
  /** Runs one call and never rejects. @param args an object in any accepted spelling, or the JSON text of a model */
  call(
    args: ParametersOf<Parameters> | string,
    options?: BoundCallOptions<Details>,
  ): Promise<BoundOutcome<Details>>;
  /**
   * The same for frameworks that pass tools around as objects with `execute`. It may be registered as a tool of a plugin,
   * too: called by a session, which hands over its context, the call is that session's.
   *
   * @throws HaftError with the code, the text and the receipt of the outcome, for every outcome that is not `ok`
   */
  execute(
    toolCallId: string,
    args: ParametersOf<Parameters>,
    signal?: AbortSignal,
    onUpdate?: ToolUpdate<Details>,
    context?: ToolContext,
  ): Promise<ToolResult<Details>>;
}

/** The same tools, bound. */
export type BoundTools<Tools extends Readonly<Record<string, AnyTool>>> = {
  readonly [Name in keyof Tools]: Tools[Name] extends Tool<infer Parameters, infer Details>
    ? BoundTool<Parameters, Details>
    : never;
};

/** Where bound tools act. */
export interface BoundTarget {
  /** Asked before each call; the same one again for as long as nothing about it has changed. Nothing is opened before the first. */
  workspace(): Workspace | Promise<Workspace>;
  /** What tools are told of their session: `main` by default. */
  kind?: SessionKind;
  /** What is known of the model that reads the results, if one does: how much a result may hold depends on it. */
  model?: Partial<ModelFacts>;
  /** Ends what the calls have started. Called once, when none runs any more. */
  close?(): Promise<void>;
}

/** Tools that are bound to one place, and the way to end what they have started. */
export interface Bound<Tools extends Readonly<Record<string, AnyTool>>> {
  /** By the names they were given under. */
  tools: BoundTools<Tools>;
  /** Aborts what runs, waits for it, and ends what was started. Later calls are answered `SESSION_CLOSED`. Safe to call twice. */
  readonly close: () => Promise<void>;
}
