import type { CallPlan, ToolEffect } from "./plan.ts";
import type { Sender, SessionKind } from "./policy-port.ts";
import type { Logger, ExecutionTarget, Workspace } from "./ports.ts";
import type { ToolOutcome, ToolResult } from "./result.ts";

/**
 * A JSON Schema that carries the type of what it describes, as TypeBox schemas do. The type is structural: schemas of any
 * copy of TypeBox 0.34 fit, and no import is needed to name it. `static` and `params` exist in the types only.
 */
export interface ParameterSchema {
  /** The type of the described value. */
  static: unknown;
  /** The types that `static` depends on in schemas that refer to others; usually none. */
  params: unknown[];
  /** Keywords of JSON Schema. */
  [keyword: string]: unknown;
}

/**
 * The parameters that a schema describes, as `execute` gets them. For a Standard Schema (zod, valibot, arktype …) they are
 * the output of its `validate`; for any other schema they are `unknown`.
 */
export type ParametersOf<Schema extends object> = Schema extends ParameterSchema
  ? (Schema & { params: [] })["static"]
  : Schema extends {
        readonly "~standard": { readonly types?: { readonly output: infer Output } | undefined };
      }
    ? Output
    : unknown;

/** What lets the kernel distinguish progress from a loop, as the tool declares it. */
export interface ToolProgress {
  /** Names of arguments that do not make two calls different, such as a wait time or a request id. */
  volatileArguments?: readonly string[];
  /** Fields of `details` that change without progress, such as a pid, a duration or a timestamp; dotted paths. */
  volatileDetails?: readonly string[];
  /** Whether the call is expected to repeat until something changes, like a poll or a page of a log. */
  isPoll?: boolean | ((args: Readonly<Record<string, unknown>>) => boolean);
  /** What happens to a call equal to one that succeeded: `suppress` for effects that nobody wants twice. */
  identicalRepeat?: "run" | "suppress";
}

/**
 * What a running tool knows of its session.
 *
 * @example
 * ```ts
 * import type { ToolContext } from "@haft/core";
 *
 * export async function readConfig({ workspace, logger }: ToolContext): Promise<unknown> {
 *   if ((await workspace.fs.stat("config.json")) === undefined) {
 *     logger.warn("There is no config.json.");
 *     return {};
 *   }
 *   const { bytes } = await workspace.fs.read("config.json");
 *   return JSON.parse(new TextDecoder().decode(bytes));
 * }
 * ```
 */
export interface ToolContext {
  /** The name of the tool, or the other name by which the model called it if that one is bound to an execution target. */
  readonly toolName: string;
  /** The identity of the conversation. */
  readonly sessionKey: string;
  /** The kind of the session, which decides what it may do by default. */
  readonly sessionKind: SessionKind;
  /**
   * The id of the recorded run, or another unique name for this opening of the session. It never changes while the session
   * is open.
   */
  readonly runId?: string | undefined;
  /** The id of the agent that holds the conversation. */
  readonly agentId: string;
  /** The channel of the conversation, such as `telegram`; empty when there is none. */
  readonly messageChannel: string;
  /** The group or room of the conversation, as the host derived it; absent if there is none. */
  readonly groupId?: string | undefined;
  /** The verified sender of the message that this call answers. `system`: the host started the turn. `undefined`: unknown. */
  readonly sender?: Readonly<Sender> | "system" | undefined;
  /** Files (and processes) that this call may use. Tools act only through it and `fetch`. */
  readonly workspace: Workspace;
  /** The model that reads the result. */
  readonly model: Readonly<ModelFacts>;
  /** The log of the host. */
  readonly logger: Logger;
  /** The `data` that {@link Tool.plan} returned for this call; `undefined` if no plan was needed. */
  readonly plan?: unknown;
  /**
   * Whether a person agreed to this call, now or by an earlier `allow-always`. The call may then do only what its plan
   * showed.
   */
  readonly isAgreed?: boolean;
  /**
   * Returns a workspace in which no effect begins after the session lost its lease (`SESSION_LEASE_LOST`), for a tool that
   * brings its own workspace.
   */
  readonly fenced?: (workspace: Workspace) => Workspace;
  /** Paths of {@link CallPlan.consent} that somebody agreed to let this call change; {@link workspace} allows it. */
  readonly consent?: readonly string[] | undefined;
  /** Calls another tool of the same session, under the same policy, ledger and limits. */
  call(name: string, args: unknown): Promise<ToolOutcome>;
  /**
   * Fetches as `fetch` of the web does, from where the session works. It is for tools with the effect `network`, within
   * policy and the network of the session. Policy decides about each host, also at every redirect. If a rule asks about a
   * host, the tool's `plan` must have named it (`subjects.hosts`). All requests end with the call.
   *
   * @param input The address: `http:` or `https:`, without a user.
   * @param init Options as for `fetch`. `redirect`: `follow` (default, at most 20 redirects), `manual` or `error`. `maxBytes`: the limit for
   * the decoded body, 10 MiB by default and 256 MiB at most. `timeoutMs`: milliseconds until the end of the body, 60,000 by default and
   * 600,000 at most.
   * @throws HaftError `NETWORK_UNDECLARED`, `HOST_DENIED`, `NO_NETWORK`, `ADDRESS_REFUSED`, `FETCH_INVALID`, `FETCH_FAILED`;
   * `BODY_TOO_LARGE`, also while a body is read; and the reason of a signal that aborted
   */
  readonly fetch: (
    input: string | URL,
    init?: RequestInit & { maxBytes?: number; timeoutMs?: number },
  ) => Promise<Response>;
}

/** What is known of the model that reads the results. */
export interface ModelFacts {
  /** The model as `provider/model` or a bare name; empty if unknown. */
  name: string;
  /** The size of the context window, in tokens. */
  contextTokens: number;
  /** Whether the model reads images. */
  images: boolean;
}

/** The part of the context that {@link Tool.plan} gets. */
export type PlanContext = Pick<
  ToolContext,
  "toolName" | "sessionKey" | "sessionKind" | "agentId" | "workspace" | "logger"
>;

/** Receives what a running tool has so far. The tool does not wait for it. */
export type ToolUpdate<Details = unknown> = (partial: ToolResult<Details>) => void;

/**
 * A tool: what the model is offered, and the code that runs when the model calls it.
 *
 * `execute` receives canonical, validated parameters. It throws a `HaftError` for anything the model or the user can act
 * on; any other error becomes `TOOL_FAILED`. It has to stop soon after `signal` aborts; the kernel answers `cancelled` in
 * either case.
 *
 * @example
 * ```ts run
 * import type { AnyTool } from "@haft/core";
 * import { bindTools } from "@haft/core/kernel";
 * import { createMemoryWorkspace } from "@haft/plugin-sdk/testing";
 * import { z } from "zod";
 *
 * const add: AnyTool = {
 *   name: "add",
 *   description: "Adds two numbers.",
 *   parameters: z.object({ a: z.number(), b: z.number() }),
 *   aliases: { a: ["first"], b: ["second"] },
 *   effects: [],
 *   execute: async (_toolCallId, { a, b }) => ({ content: [{ type: "text", text: String(a + b) }], details: {} }),
 * };
 * const { tools } = bindTools({ add }, { workspace: () => createMemoryWorkspace() });
 * const outcome = await tools.add.call('{"first": 1, "second": "2"}');
 * outcome.content; // => [{ type: "text", text: "3" }]
 * ```
 */
export interface Tool<
  Parameters extends ParameterSchema | { readonly "~standard": object } = ParameterSchema,
  Details = unknown,
> {
  /** The name: `[a-zA-Z][a-zA-Z0-9_-]*`, at most 48 characters, as every model provider accepts it. */
  name: string;
  /** The name for people. Default: `name`. */
  label?: string;
  /** The description for the model. All providers take 1,024 characters. */
  description: string;
  /**
   * The schema of the arguments, an object: JSON Schema, as TypeBox makes it, or a Standard Schema with its JSON Schema
   * (zod, valibot, arktype). The model gets the JSON Schema. Policy, ledger and `execute` get what `validate` of a Standard
   * Schema makes of the arguments, which has to be JSON.
   */
  parameters: Parameters;
  /** The JSON Schema of `details`. */
  outputSchema?: ParameterSchema;
  /** All effects that any call of the tool may have. */
  effects: readonly ToolEffect[];
  /**
   * The hosts the tool contacts (`*.example.com`); `fetch` reaches no others. Without a `plan`, rules about hosts use this
   * list.
   */
  hosts?: readonly string[];
  /** Other spellings of each canonical parameter. They are accepted silently and never advertised. */
  aliases?: Readonly<Record<string, readonly string[]>>;
  /** Other names for the tool, optionally for one execution target only. They are accepted and never advertised. */
  otherNames?: Readonly<Record<string, { target?: ExecutionTarget }>>;
  /** Policy groups of the tool, beside those that follow from its effects and plugin: `fs`. */
  groups?: readonly string[];
  /** What distinguishes progress from a loop. */
  progress?: ToolProgress;
  /** The limit for all strings in the arguments of one call together, in characters. Default 8 million, at most 64 Mi. */
  maxArgumentCharacters?: number;
  /** Milliseconds until the kernel aborts the call; 0 means no limit. Default: that of the session. */
  deadlineMs?: number;
  /**
   * Works out what a call would do, without doing it: its paths, commands and hosts, and a preview for the person who
   * decides. It runs only if a rule or an approval depends on it. Without it, rules with conditions give their stricter
   * answer for the tool. It throws as `execute` does.
   */
  plan?(
    params: ParametersOf<Parameters>,
    context: PlanContext,
    signal: AbortSignal,
  ): Promise<CallPlan | undefined> | CallPlan | undefined;
  /**
   * Returns whether this call needs a decision by policy or a person, for example because it asks for stricter rules or
   * changes what needs consent. The call is then planned and decided with its subjects, even if no rule depends on them. It
   * has to be fast, since it runs for most calls.
   */
  wantsPlan?(params: ParametersOf<Parameters>, context: PlanContext): boolean | Promise<boolean>;
  /** Runs the call. `toolCallId` is the id of the call in its session. */
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
