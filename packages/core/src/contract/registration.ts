import type { ToolEffect } from "./plan.ts";
import type { SessionKind } from "./policy-port.ts";
import type { Logger, Workspace } from "./ports.ts";
import type { AnyTool, ModelFacts } from "./tool.ts";

/** Versions the contract between plugins and hosts. It rises with incompatible changes. */
export const CONTRACT_VERSION = 1;

/** Describes the session to a factory. The context of each call has the sender. */
export interface PluginToolContext<Config = unknown, State = unknown> {
  /** Contains the configuration. With a `configSchema` it is valid, complete with defaults and frozen. */
  config: Config;
  /** Contains the result of the plugin's `setup`, or `undefined`. */
  state: State;
  /** Contains the workspace's absolute folder of relative paths. */
  workspaceDir: string;
  /** Locates the folder of the agent. Default: the folder of the workspace. */
  agentDir: string;
  /** Identifies the agent. */
  agentId: string;
  /** Identifies the conversation. */
  sessionKey: string;
  /** Names the channel, such as `telegram`; empty without a channel. */
  messageChannel: string;
  /** States the kind of the session. */
  sessionKind: SessionKind;
  /** Identifies the group or room, if any, as derived by the host. */
  groupId?: string | undefined;
  /** Describes the model. */
  model: Readonly<ModelFacts>;
  /** Tells whether the kind is `sandboxed`. */
  sandboxed: boolean;
  /** Accesses files and processes, like the built-in tools. */
  workspace: Workspace;
  /** Logs for the host. */
  logger: Logger;
  /** Aborts at the deadline of the factory, or when the session closes. */
  signal: AbortSignal;
}

/** Creates the tools of one registration, or returns `null`. An error removes only these tools. */
export type PluginToolFactory<Config = unknown, State = unknown> = (
  context: PluginToolContext<Config, State>,
) => AnyTool | AnyTool[] | null | Promise<AnyTool | AnyTool[] | null>;

/**
 * Names the tools of a factory, so that hosts know them without running code.
 *
 * @example
 * ```ts
 * import { definePlugin, defineTool, type PluginToolRegistration, text, Type } from "@haft/plugin-sdk";
 *
 * const whoami: PluginToolRegistration = {
 *   names: ["whoami"],
 *   factory: ({ agentId, messageChannel }) =>
 *     messageChannel === ""
 *       ? null
 *       : defineTool({
 *           name: "whoami",
 *           description: "Names the agent and its channel.",
 *           parameters: Type.Object({}),
 *           effects: [],
 *           execute: async () => ({ content: [text(`${agentId} on ${messageChannel}`)], details: {} }),
 *         }),
 * };
 * export default definePlugin({ id: "identity", tools: [whoami] });
 * ```
 */
export interface PluginToolRegistration<Config = unknown, State = unknown> {
  /** Creates the tools. */
  factory: PluginToolFactory<Config, State>;
  /** Names all tools it may create. */
  names: readonly string[];
  /**
   * Lists all effects of its tools, or the effects of each tool: `{ list_tickets: ["network"], send: ["network", "message"] }`. A tool with
   * another effect is left out.
   */
  effects?: readonly ToolEffect[] | Readonly<Record<string, readonly ToolEffect[]>>;
  /** Lists all hosts of its tools. A tool's list can only narrow it. */
  hosts?: readonly string[];
  /** Keeps the tools off until an allow rule, a grant, the plugin id or `group:plugins` names them. */
  optional?: boolean;
  /** Limits the tools to sessions of these message channels. Default: all. */
  channels?: readonly string[];
  /**
   * Limits the reuse of the tools. `session` (default): open sessions of a key share tools if all facts that the factory read are equal.
   * `host`: the factory runs once, with only `config` and `state`; its tools use the workspace of each call's context.
   */
  scope?: "host" | "session";
  /** Promises the same tools each time. A host may then load the plugin at the first call. */
  static?: boolean;
}

/** Returns the effects that a registration declares for a tool; `undefined` if it declares none. */
export function getDeclaredEffects(
  effects: PluginToolRegistration["effects"],
  name: string,
): readonly ToolEffect[] | undefined {
  if (effects === undefined) return undefined;
  // `Array.isArray` does not narrow read-only lists.
  if (Array.isArray(effects)) return effects as readonly ToolEffect[];
  const byName = effects as Readonly<Record<string, readonly ToolEffect[]>>;
  return Object.hasOwn(byName, name) ? byName[name] : undefined;
}

/** Publishes tools for a host. `definePlugin` creates it. */
export interface Plugin {
  /** States the {@link CONTRACT_VERSION} of the package that it was written with. Default 1. */
  contract?: number;
  /** Identifies the plugin: `[a-z0-9][a-z0-9-]*`. It also names a policy group. */
  id: string;
  /** Names the plugin for people. */
  name?: string;
  /** States its version for people. */
  version?: string;
  /** Lists the registrations of its tools. */
  tools: readonly PluginToolRegistration[];
  /** Configures every factory, unless the operator's configuration replaces it. */
  config?: unknown;
  /**
   * Describes `config`: JSON Schema of an object, as `Type` makes it, or a Standard Schema. Before the plugin's code runs, except its
   * module, the host validates it, adds defaults and rejects keys outside of `properties`. Parts marked `"x-secret": true` are masked
   * wherever the configuration is shown or stored.
   */
  configSchema?: object;
  /**
   * Creates shared state for all tools, as `context.state`, once for each host before its first use. It has the deadline of a factory;
   * `signal` aborts then, and when the plugin is disposed of.
   */
  setup?: (context: Pick<PluginToolContext, "config" | "logger" | "signal">) => unknown;
  /** Releases the state of `setup` when the host closes, or a reload drops or changes the plugin. It has the deadline of a factory. */
  dispose?: (state: unknown) => unknown;
  /** Lists hosts for its tools, unless a tool or registration names others. */
  hosts?: readonly string[];
  /** Names tools of other plugins that this plugin replaces. A tool with any other taken name is called `plugin-id/name`, with a diagnostic. */
  replaces?: readonly string[];
  /** Locates the defining module. Sessions cannot change files that it may load. */
  source?: string;
}
