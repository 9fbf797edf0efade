import type { CallPlan, ToolEffect } from "./plan.ts";
import type { Sender, SessionKind } from "./policy-port.ts";
import type { Logger, ExecutionTarget, Workspace } from "./ports.ts";
import type { ToolOutcome, ToolResult } from "./result.ts";

/**
 * JSON Schema that carries the type of what it describes, as a schema of TypeBox does: by its structure, so that one
 * made with any copy of TypeBox 0.34 is taken, and no package is needed to name it. `static` and `params` are types
 * alone, no values.
 */
export interface ParameterSchema {
  /** The type of what it describes. */
  static: unknown;
  /** What `static` depends on in schemas that refer to others; none as a rule. */
  params: unknown[];
  /** Keywords of JSON Schema. */
  [keyword: string]: unknown;
}

/**
 * The parameters that a schema describes, as `execute` gets them. Of a schema of a library that follows Standard Schema
 * (zod, valibot, arktype …) they are what its `validate` makes of the arguments; of others nothing is known.
 */
export type ParametersOf<Schema extends object> = Schema extends ParameterSchema
  ? (Schema & { params: [] })["static"]
  : Schema extends {
        readonly "~standard": { readonly types?: { readonly output: infer Output } | undefined };
      }
    ? Output
    : unknown;

/** What the kernel needs to know to tell progress from a loop, declared by the tool itself. */
export interface ToolProgress {
  /** Argument names that do not make two calls different (a wait time, a request id). */
  volatileArguments?: readonly string[];
  /** Fields of `details` that change without progress (pid, duration, timestamps). Dotted paths. */
  volatileDetails?: readonly string[];
  /** True when this call is expected to repeat until something changes (a poll, a log page). */
  isPoll?: boolean | ((args: Readonly<Record<string, unknown>>) => boolean);
  /** What to do with a call identical to one that already succeeded: `suppress` for things nobody wants twice. */
  identicalRepeat?: "run" | "suppress";
}

/** The session, as seen by a running tool. */
export interface ToolContext {
  /** The tool's name; or its other name, when the model called it by one that is bound to a place. */
  readonly toolName: string;
  /** Identity of the conversation. */
  readonly sessionKey: string;
  /** What the session may do by default. */
  readonly sessionKind: SessionKind;
  /** The recorded run, or another unique name of this opening; the same from the first call to the last. */
  readonly runId?: string | undefined;
  /** The agent that has the conversation. */
  readonly agentId: string;
  /** The channel of the conversation, such as `telegram`; empty when there is none. */
  readonly messageChannel: string;
  /** The group or room of the conversation, as the host derived it; absent when there is none. */
  readonly groupId?: string | undefined;
  /** Whose message this call answers, verified by the host. `system`: the host started the turn. `undefined`: not known. */
  readonly sender?: Readonly<Sender> | "system" | undefined;
  /** Files (and processes) this call may act on. The only way to the world. */
  readonly workspace: Workspace;
  /** The model that reads the result. */
  readonly model: Readonly<ModelFacts>;
  /** The host's own log. */
  readonly logger: Logger;
  /** What {@link Tool.plan} answered in `data` for this call; `undefined` when nobody needed a plan. */
  readonly plan?: unknown;
  /** A person agreed to this very call, now or by an earlier "always". Then it may do only what its plan showed. */
  readonly isAgreed?: boolean;
  /** A workspace in which nothing begins once the session was lost (`SESSION_LEASE_LOST`), for a tool that brings its own. */
  readonly fenced?: (workspace: Workspace) => Workspace;
  /** Places of {@link CallPlan.consent} that somebody agreed to have changed by this call; {@link workspace} lets it. */
  readonly consent?: readonly string[] | undefined;
  /** Call another tool of the same session: same policy, same ledger, same limits. */
  call(name: string, args: unknown): Promise<ToolOutcome>;
  /**
   * The network, as `fetch` of the web has it: for tools with the effect `network`, from where the session works, as far as
   * policy and the place of the session let it. Each host that is contacted is decided about, at every redirect anew. Where a
   * rule asks about a host, the tool's `plan` has to have named it (`subjects.hosts`). Ends with the call.
   *
   * @param input `http:` or `https:`, without a user
   * @param init as for `fetch`; of `redirect`, `follow` (default, at most 20), `manual` and `error`. `maxBytes`: of the body, as
   * it is decoded, 10 MiB by default and 256 MiB at most. `timeoutMs`: until the end of the body, 60 s by default and
   * 10 minutes at most.
   * @throws HaftError `NETWORK_UNDECLARED`, `HOST_DENIED`, `NO_NETWORK`,
   * `ADDRESS_REFUSED`, `FETCH_INVALID`, `FETCH_FAILED`; `BODY_TOO_LARGE`, also while a body is read; and the
   * reason of a signal that aborted
   */
  readonly fetch: (
    input: string | URL,
    init?: RequestInit & { maxBytes?: number; timeoutMs?: number },
  ) => Promise<Response>;
}

/** What is known of the model that reads the results. */
export interface ModelFacts {
  /** `provider/model` or a bare name; empty when unknown. */
  name: string;
  /** Context window in tokens. */
  contextTokens: number;
  /** Whether it can be shown images. */
  images: boolean;
}

/** What {@link Tool.plan} may look at. */
export type PlanContext = Pick<
  ToolContext,
  "toolName" | "sessionKey" | "sessionKind" | "agentId" | "workspace" | "logger"
>;

/** Called by a running tool with what it has so far. Never awaited. */
export type ToolUpdate<Details = unknown> = (partial: ToolResult<Details>) => void;

/**
 * A tool: what the model is told, and what happens when it calls.
 *
 * `execute` receives canonical, validated parameters. It throws a `HaftError` for anything the
 * model or the user can act on; other throws become `TOOL_FAILED`. It must stop soon after
 * `signal` aborts; the kernel answers `cancelled` whether it does or not.
 */
export interface Tool<
  Parameters extends ParameterSchema | { readonly "~standard": object } = ParameterSchema,
  Details = unknown,
> {
  /** `[a-zA-Z][a-zA-Z0-9_-]*`, at most 48 characters (what every model provider accepts). */
  name: string;
  /** For people. Defaults to the name. */
  label?: string;
  /** For the model; at most 1,024 characters travel to every provider. */
  description: string;
  /**
   * The schema of an object: made with TypeBox, which is JSON Schema as it is, or a Standard Schema (zod, valibot, arktype)
   * that has its JSON Schema with it. The model is told the JSON Schema; what a Standard Schema's `validate` makes of the
   * arguments is what policy, ledger and `execute` see, and has to be JSON.
   */
  parameters: Parameters;
  /** JSON Schema of `details`. */
  outputSchema?: ParameterSchema;
  /** All that any call of it may do. */
  effects: readonly ToolEffect[];
  /** The hosts it contacts (`*.example.com`); `fetch` reaches no others. Without a `plan`, rules about hosts look at these. */
  hosts?: readonly string[];
  /** Canonical parameter → other spellings. Accepted silently, never advertised. */
  aliases?: Readonly<Record<string, readonly string[]>>;
  /** Other names that reach this tool, perhaps only in one place. Accepted, never advertised. */
  otherNames?: Readonly<Record<string, { target?: ExecutionTarget }>>;
  /** Extra policy groups beside those derived from effects and plugin, e.g. `fs`. */
  groups?: readonly string[];
  /** What tells progress from a loop. */
  progress?: ToolProgress;
  /** Characters of all strings of one call's arguments: 8 million by default, 64 Mi at most. */
  maxArgumentCharacters?: number;
  /** Milliseconds until the kernel aborts the call; the session's default otherwise. 0 = none. */
  deadlineMs?: number;
  /**
   * Works out what a call would do, without doing it: which paths, commands and hosts it is about, and what
   * a person should see before deciding. Asked only when a rule or an approval depends on it; without it,
   * rules with conditions give their stricter answer for this tool. Throws as `execute` does.
   */
  plan?(
    params: ParametersOf<Parameters>,
    context: PlanContext,
    signal: AbortSignal,
  ): Promise<CallPlan | undefined> | CallPlan | undefined;
  /**
   * Does this call ask for something that only a policy or a person can answer, such as to be stricter than its rules,
   * or to change what needs consent? Then it is planned, and decided about with its subjects, even where no rule
   * depends on them. Cheap: most calls are asked.
   */
  wantsPlan?(params: ParametersOf<Parameters>, context: PlanContext): boolean | Promise<boolean>;
  /** Does it. `toolCallId` is the id of this call in its session. */
  execute(
    toolCallId: string,
    params: ParametersOf<Parameters>,
    signal: AbortSignal,
    onUpdate: ToolUpdate<Details> | undefined,
    context: ToolContext,
  ): Promise<ToolResult<Details>> | ToolResult<Details>;
}

/** A tool of any parameters, as registries and sessions hold it. */
// The parameter type is contravariant, so only `any` accepts every tool.
// oxlint-disable-next-line typescript/no-explicit-any
export type AnyTool = Tool<any, any>;

/**
 * Returns the tool unchanged; TypeScript infers the parameter types of `execute` from its schema.
 *
 * @example
 * ```ts run
 * import { defineTool, text, Type } from "@haft/plugin-sdk";
 *
 * const countLines = defineTool({
 *   name: "count_lines",
 *   description: "Counts the lines of a text file.",
 *   parameters: Type.Object({ path: Type.String({ description: "The file to count." }) }),
 *   effects: ["read"],
 *   async execute(_toolCallId, { path }, signal, _onUpdate, { workspace }) {
 *     const { bytes } = await workspace.fs.read(path, { signal });
 *     const lines = new TextDecoder().decode(bytes).split("\n").length - 1;
 *     return { content: [text(`${lines} lines`)], details: { path, lines } };
 *   },
 * });
 * countLines.effects; // => ["read"]
 * ```
 */
export function defineTool<Parameters extends ParameterSchema | { readonly "~standard": object }, Details>(
  tool: Tool<Parameters, Details>,
): Tool<Parameters, Details> {
  return tool;
}
