import type { CallPlan, ToolEffect } from "./plan.ts";
import type { Sender, SessionKind } from "./policy-port.ts";
import type { Logger, ExecutionTarget, Workspace } from "./ports.ts";
import type { ToolOutcome, ToolResult } from "./result.ts";

/**
 * Types a JSON Schema with the described value, like TypeBox. The type is structural: schemas of any copy of TypeBox 0.34 fit without an
 * import. `static` and `params` exist in types only.
 */
export interface ParameterSchema {
  /** Types the described value. */
  static: unknown;
  /** Types the dependencies of `static` in schemas that refer to others; usually empty. */
  params: unknown[];
  /** Contains keywords of JSON Schema. */
  [keyword: string]: unknown;
}

/**
 * Infers the parameters of `execute` from a schema. For a Standard Schema (zod, valibot, arktype …) they are the output of its `validate`;
 * for any other schema they are `unknown`.
 */
export type ParametersOf<Schema extends object> = Schema extends ParameterSchema
  ? (Schema & { params: [] })["static"]
  : Schema extends {
        readonly "~standard": { readonly types?: { readonly output: infer Output } | undefined };
      }
    ? Output
    : unknown;

/** Distinguishes progress from a loop. */
export interface ToolProgress {
  /** Names arguments that do not distinguish two calls, such as a wait time or a request id. */
  volatileArguments?: readonly string[];
  /** Names fields of `details` that change without progress, such as a pid, a duration or a timestamp, as dotted paths. */
  volatileDetails?: readonly string[];
  /** Tells whether the call may repeat until something changes, like a poll or a page of a log. */
  isPoll?: boolean | ((args: Readonly<Record<string, unknown>>) => boolean);
  /** Controls a repetition of a call that succeeded. `suppress` prevents an effect that must not happen twice. */
  identicalRepeat?: "run" | "suppress";
}

/**
 * Gives a running tool access to its session.
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
  /** Names the tool, or contains the name that the model called if it is bound to an execution target. */
  readonly toolName: string;
  /** Identifies the conversation. */
  readonly sessionKey: string;
  /** States the kind of the session, which selects its default rights. */
  readonly sessionKind: SessionKind;
  /** Identifies the recorded run, or this opening of the session. It never changes while the session is open. */
  readonly runId?: string | undefined;
  /** Identifies the agent of the conversation. */
  readonly agentId: string;
  /** Names the channel, such as `telegram`; empty without a channel. */
  readonly messageChannel: string;
  /** Identifies the group or room, as the host derived it; absent if there is none. */
  readonly groupId?: string | undefined;
  /** Identifies the verified sender of the message that this call answers. `system`: the host started the turn. `undefined`: unknown. */
  readonly sender?: Readonly<Sender> | "system" | undefined;
  /** Accesses files and processes. Tools act only through it and `fetch`. */
  readonly workspace: Workspace;
  /** Describes the model that reads the result. */
  readonly model: Readonly<ModelFacts>;
  /** Logs for the host. */
  readonly logger: Logger;
  /** Contains the `data` of this call's {@link Tool.plan}; `undefined` if no plan was needed. */
  readonly plan?: unknown;
  /** Tells whether a person agreed to this call, now or by `allow-always`. The call must then follow its plan. */
  readonly isAgreed?: boolean;
  /** Wraps a workspace that the tool brings: no effect begins in it after the session lost its lease (`SESSION_LEASE_LOST`). */
  readonly fenced?: (workspace: Workspace) => Workspace;
  /** Lists paths of {@link CallPlan.consent} that this call may change with consent. {@link workspace} allows it. */
  readonly consent?: readonly string[] | undefined;
  /** Calls another tool of the same session, under the same policy, ledger and limits. */
  call(name: string, args: unknown): Promise<ToolOutcome>;
  /**
   * Fetches as the standard `fetch`, from the workspace of the session. Needs the effect `network`; policy decides about each host, also at
   * every redirect. If a rule asks about a host, the tool's `plan` must have named it (`subjects.hosts`). All requests end with the call.
   *
   * @param input The address: `http:` or `https:`, without a user.
   * @param init Options of `fetch`. `redirect`: `follow` (default, at most 20 redirects), `manual` or `error`. `maxBytes`: limit of the
   * decoded body, 10 MiB by default and 256 MiB at most. `timeoutMs`: milliseconds until the end of the body, 60,000 by default and 600,000
   * at most.
   * @throws HaftError `NETWORK_UNDECLARED`, `HOST_DENIED`, `NO_NETWORK`, `ADDRESS_REFUSED`, `FETCH_INVALID`, `FETCH_FAILED`;
   * `BODY_TOO_LARGE`, also while a body is read; and the reason of an aborted signal
   */
  readonly fetch: (
    input: string | URL,
    init?: RequestInit & { maxBytes?: number; timeoutMs?: number },
  ) => Promise<Response>;
}

/** Describes the model that reads the results. */
export interface ModelFacts {
  /** Names the model as `provider/model` or a bare name; empty if unknown. */
  name: string;
  /** States the size of the context window, in tokens. */
  contextTokens: number;
  /** Tells whether the model reads images. */
  images: boolean;
}

/** Contains the part of the context for {@link Tool.plan}. */
export type PlanContext = Pick<
  ToolContext,
  "toolName" | "sessionKey" | "sessionKind" | "agentId" | "workspace" | "logger"
>;

/** Receives partial results of a running tool. The tool does not wait for it. */
export type ToolUpdate<Details = unknown> = (partial: ToolResult<Details>) => void;

/**
 * Describes a tool to the model and runs its calls.
 *
 * `execute` receives canonical, validated parameters. It throws a `HaftError` for failures that the model or the user can act on; other
 * errors become `TOOL_FAILED`. It has to stop soon after `signal` aborts; the outcome is `cancelled` in either case.
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
  /** Names the tool: `[a-zA-Z][a-zA-Z0-9_-]*`, at most 48 characters, as every model provider accepts it. */
  name: string;
  /** Names the tool for people. Default: `name`. */
  label?: string;
  /** Describes the tool to the model. All providers accept 1,024 characters. */
  description: string;
  /**
   * Describes the arguments, an object: JSON Schema, as TypeBox makes it, or a Standard Schema with its JSON Schema (zod, valibot,
   * arktype). The model gets the JSON Schema. Policy, ledger and `execute` get the output of `validate`, which has to be JSON.
   */
  parameters: Parameters;
  /** Describes `details` as JSON Schema. */
  outputSchema?: ParameterSchema;
  /** Lists all effects that any call may have. */
  effects: readonly ToolEffect[];
  /** Lists the contacted hosts (`*.example.com`); `fetch` reaches no others. Without a `plan`, rules about hosts use this list. */
  hosts?: readonly string[];
  /** Lists other spellings of each canonical parameter. They are accepted silently and never advertised. */
  aliases?: Readonly<Record<string, readonly string[]>>;
  /** Lists other names of the tool, optionally for one execution target only. They are accepted and never advertised. */
  otherNames?: Readonly<Record<string, { target?: ExecutionTarget }>>;
  /** Adds policy groups beyond the groups of its effects and plugin: `fs`. */
  groups?: readonly string[];
  /** Distinguishes progress from a loop. */
  progress?: ToolProgress;
  /** Limits all strings in the arguments of one call together, in characters. Default 8 million, at most 64 Mi. */
  maxArgumentCharacters?: number;
  /** Milliseconds until the kernel aborts the call; 0 means no limit. Default: that of the session. */
  deadlineMs?: number;
  /**
   * Computes paths, commands, hosts and a preview of a call, without any effect. Runs only if a rule or an approval needs it. Without it,
   * rules with conditions use their stricter verdict. Throws like `execute`.
   */
  plan?(
    params: ParametersOf<Parameters>,
    context: PlanContext,
    signal: AbortSignal,
  ): Promise<CallPlan | undefined> | CallPlan | undefined;
  /**
   * Returns whether this call needs a decision, for example because it requests stricter rules or changes files that need consent. It is
   * then planned and evaluated with its subjects, even if no rule depends on them. Has to be fast, since it runs for most calls.
   */
  wantsPlan?(params: ParametersOf<Parameters>, context: PlanContext): boolean | Promise<boolean>;
  /** Runs the call. `toolCallId` identifies it in its session. */
  execute(
    toolCallId: string,
    params: ParametersOf<Parameters>,
    signal: AbortSignal,
    onUpdate: ToolUpdate<Details> | undefined,
    context: ToolContext,
  ): Promise<ToolResult<Details>> | ToolResult<Details>;
}

/** Accepts a tool with any parameters. */
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
