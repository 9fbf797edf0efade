import type { CallPlan, ToolEffect } from "./plan.ts";
import type { Sender, SessionKind } from "./policy-port.ts";
import type { Logger, ExecutionTarget, Workspace } from "./ports.ts";
import type { ToolOutcome, ToolResult } from "./result.ts";

/**
 * Types a JSON Schema with the described value. Schemas of any copy of TypeBox 0.34 fit structurally. `static` and `params` exist in types
 * only.
 */
export interface ParameterSchema {
  /** Types the described value. */
  static: unknown;
  /** Types the dependencies of `static`; usually empty. */
  params: unknown[];
  /** Contains keywords of JSON Schema. */
  [keyword: string]: unknown;
}

/**
 * Infers the parameters of `execute` from a schema. A Standard Schema (zod, valibot, arktype …) gives the output of its `validate`; any
 * other untyped schema gives `unknown`.
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
  /** Names arguments that do not distinguish calls. */
  volatileArguments?: readonly string[];
  /** Names fields of `details` that change without progress, as dotted paths. */
  volatileDetails?: readonly string[];
  /** Tells whether the call may repeat until something changes, like a poll. */
  isPoll?: boolean | ((args: Readonly<Record<string, unknown>>) => boolean);
  /** Controls a repetition of a successful call. `suppress` prevents its effect. */
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
  /** Names the tool, or the called name if that is bound to a target. */
  readonly toolName: string;
  /** Identifies the conversation. */
  readonly sessionKey: string;
  /** States the kind of the session. */
  readonly sessionKind: SessionKind;
  /** Identifies the recorded run, or this opening. */
  readonly runId?: string | undefined;
  /** Identifies the agent. */
  readonly agentId: string;
  /** Names the channel, such as `telegram`; empty without a channel. */
  readonly messageChannel: string;
  /** Identifies the group or room, if any, as derived by the host. */
  readonly groupId?: string | undefined;
  /** Identifies the verified sender of the message. `system`: the host started the turn. `undefined`: unknown. */
  readonly sender?: Readonly<Sender> | "system" | undefined;
  /** Accesses files and processes. Tools act only through it and `fetch`. */
  readonly workspace: Workspace;
  /** Describes the model. */
  readonly model: Readonly<ModelFacts>;
  /** Logs for the host. */
  readonly logger: Logger;
  /** Contains the `data` of this call's plan, if any. */
  readonly plan?: unknown;
  /** Tells whether a person agreed to this call, which must then follow its plan. */
  readonly isAgreed?: boolean;
  /** Wraps a workspace of the tool: no effect begins without the lease (`SESSION_LEASE_LOST`). */
  readonly fenced?: (workspace: Workspace) => Workspace;
  /** Lists paths of {@link CallPlan.consent} that this call may change. */
  readonly consent?: readonly string[] | undefined;
  /** Calls another tool of the session, under the same policy, ledger and limits. */
  call(name: string, args: unknown): Promise<ToolOutcome>;
  /**
   * Fetches like the standard `fetch`, from the workspace. Needs the effect `network`; policy decides about each host, also of redirects.
   * If a rule asks about a host, the `plan` must have named it (`subjects.hosts`). All requests end with the call.
   *
   * @param input An `http:` or `https:` address, without a user, or a `Request`. Libraries that take a `fetch` accept this function.
   * @param init Options of `fetch`. `redirect`: `follow` (default, at most 20), `manual` or `error`. `maxBytes`: limits the decoded body
   * (default 10 MiB, at most 256 MiB). `timeoutMs`: milliseconds until the end of the body (default 60,000, at most 600,000).
   * @throws HaftError `NETWORK_UNDECLARED`, `HOST_DENIED`, `NO_NETWORK`, `ADDRESS_REFUSED`, `FETCH_INVALID`, `FETCH_FAILED`;
   * `BODY_TOO_LARGE`, also while a body is read; and the reason of an aborted signal
   */
  readonly fetch: (
    input: string | URL | { readonly url: string; readonly method: string },
    init?: RequestInit & { maxBytes?: number; timeoutMs?: number },
  ) => Promise<Response>;
}

/** Describes the model. */
export interface ModelFacts {
  /** Names the model, perhaps as `provider/model`; empty if unknown. */
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

/** Receives partial results, without delaying the tool. */
export type ToolUpdate<Details = unknown> = (partial: ToolResult<Details>) => void;

/**
 * Describes a tool to the model and runs its calls.
 *
 * `execute` receives canonical, validated parameters. It throws a `HaftError` for failures that the model or user can act on; other errors
 * become `TOOL_FAILED`. It has to stop soon after `signal` aborts.
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
  /** Describes the tool to the model, in at most 1,024 characters for all providers. */
  description: string;
  /**
   * Describes the arguments, an object: JSON Schema, as TypeBox makes it, or a Standard Schema with its JSON Schema (zod, valibot,
   * arktype). The model gets the JSON Schema; policy, ledger and `execute` get the output of `validate`, which is JSON. Defaults of a
   * JSON Schema are filled in, and such a parameter is optional for the model.
   */
  parameters: Parameters;
  /**
   * Set it to `false` if the program behind this tool fills in defaults itself, such as an MCP server. Then only required parameters
   * get their default. Default: `true`.
   */
  fillsDefaults?: boolean;
  /** Describes `details` as JSON Schema. */
  outputSchema?: ParameterSchema;
  /** Lists all effects that any call may have. */
  effects: readonly ToolEffect[];
  /** Lists the only hosts (`*.example.com`) for `fetch`, and the hosts for rules without a `plan`. */
  hosts?: readonly string[];
  /** Lists other, unadvertised spellings of each parameter. */
  aliases?: Readonly<Record<string, readonly string[]>>;
  /** Lists other, unadvertised names, optionally for one execution target only. */
  otherNames?: Readonly<Record<string, { target?: ExecutionTarget }>>;
  /** Adds policy groups beyond those of effects and plugin: `fs`. */
  groups?: readonly string[];
  /** Names the MCP server and tool behind it, for `mcp(server/tool)`. Counts only in the plugin `mcp-SERVER`. */
  mcp?: { readonly server: string; readonly tool: string };
  /** Distinguishes progress from a loop. */
  progress?: ToolProgress;
  /** Limits all strings of a call's arguments, in characters. Default 8 million, at most 64 Mi. */
  maxArgumentCharacters?: number;
  /** Milliseconds until the kernel aborts the call; 0 means no limit. Default: that of the session. */
  deadlineMs?: number;
  /**
   * Computes paths, commands, hosts and a preview of a call, without any effect, if a rule or approval needs them. Without it,
   * `deny` and `ask` rules with conditions ask for approval, and `allow` and `grant` rules with conditions do not apply. Throws like `execute`.
   */
  plan?(
    params: ParametersOf<Parameters>,
    context: PlanContext,
    signal: AbortSignal,
  ): Promise<CallPlan | undefined> | CallPlan | undefined;
  /**
   * Returns whether this call is planned even if no rule needs it, for example because it requests stricter rules or changes files that
   * need consent. It runs for most calls, so it has to be fast.
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
 * Returns the tool unchanged; TypeScript infers the parameters of `execute` from its schema.
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
