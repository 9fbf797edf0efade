import type { ToolEffect } from "./plan.ts";
import type { SessionKind } from "./policy-port.ts";
import type { Logger, Workspace } from "./ports.ts";
import type { AnyTool, ModelFacts } from "./tool.ts";

/** The version of the contract between plugins and hosts. It rises when plugins for the version before stop working. */
export const CONTRACT_VERSION = 1;

/** What a factory knows of its session. The sender of a message is in the context of each call instead. */
export interface PluginToolContext<Config = unknown, State = unknown> {
  /** The configuration of the plugin. With a `configSchema` it is checked, has its defaults and is frozen. */
  config: Config;
  /** The result of the plugin's `setup`; `undefined` if it has none. */
  state: State;
  /** The absolute folder where relative paths start, as the workspace spells it. */
  workspaceDir: string;
  /** The folder of the agent. Default: that of the workspace. */
  agentDir: string;
  /** The id of the agent that holds the conversation. */
  agentId: string;
  /** The identity of the conversation. */
  sessionKey: string;
  /** The channel of the conversation, such as `telegram`; empty when there is none. */
  messageChannel: string;
  /** The kind of the session, which decides what it may do by default. */
  sessionKind: SessionKind;
  /** The group or room of the conversation, as the host derived it; absent if there is none. */
  groupId?: string | undefined;
  /** The model of the session. */
  model: Readonly<ModelFacts>;
  /** Whether the kind of the session is `sandboxed`. */
  sandboxed: boolean;
  /** Files and processes, sandboxed like those of the built-in tools. */
  workspace: Workspace;
  /** The log of the host. */
  logger: Logger;
  /** Aborts when the time of the factory is over or the session closes. */
  signal: AbortSignal;
}

/**
 * Makes the tools of one registration, or returns `null` for none in this session. An error that it throws costs only these
 * tools.
 */
export type PluginToolFactory<Config = unknown, State = unknown> = (
  context: PluginToolContext<Config, State>,
) => AnyTool | AnyTool[] | null | Promise<AnyTool | AnyTool[] | null>;

/**
 * A factory and the names of the tools it may make. Hosts know the names without running code.
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
  /** Makes the tools. */
  factory: PluginToolFactory<Config, State>;
  /** The names of all tools it may make. */
  names: readonly string[];
  /** All effects of its tools, known before the factory runs. A tool with any other effect is left out. */
  effects?: readonly ToolEffect[];
  /** All hosts that its tools may contact. A tool can narrow the list; without one of its own, this list holds. */
  hosts?: readonly string[];
  /** Whether the tools are off until an allow rule, a grant, the plugin id or `group:plugins` names them. */
  optional?: boolean;
  /** The message channels whose sessions have the tools. Default: all. */
  channels?: readonly string[];
  /**
   * How long the result of the factory is used. `session` (the default): the factory runs for each session; two open
   * sessions of one key share their tools if all that the factory read is equal. `host`: it runs once for all sessions;
   * such a factory gets only `config` and `state`, and its tools take the workspace from the context of each call.
   */
  scope?: "host" | "session";
  /** Whether the factory always makes the same tools. A host may then load the plugin at the first call. */
  static?: boolean;
}

/** A set of tools for a host. `definePlugin` makes it. */
export interface Plugin {
  /** The {@link CONTRACT_VERSION} of the package the plugin was written with. Default 1. */
  contract?: number;
  /** The id of the plugin: `[a-z0-9][a-z0-9-]*`. Policies use it as the name of a group. */
  id: string;
  /** The name of the plugin for people. */
  name?: string;
  /** The version of the plugin for people. */
  version?: string;
  /** The registrations of its tools. */
  tools: readonly PluginToolRegistration[];
  /** The configuration that every factory gets as `context.config`. A configuration by the operator replaces it. */
  config?: unknown;
  /**
   * The schema of `config`: JSON Schema of an object, as `Type` makes it, or a Standard Schema. The host checks the
   * configuration before it runs any code of the plugin but its module. It fills in defaults and rejects keys that
   * `properties` does not name. Parts marked `"x-secret": true` are covered wherever the configuration is shown or stored.
   */
  configSchema?: object;
  /**
   * Makes what all tools of the plugin share, such as a connection. It runs once for each host, before the first factory or
   * call needs it. The result is `context.state`. The time limit is that of a factory; `signal` aborts when the time is
   * over and when the plugin is disposed of.
   */
  setup?: (context: Pick<PluginToolContext, "config" | "logger" | "signal">) => unknown;
  /**
   * Ends what `setup` made. It runs when the host closes, and when a reload drops or changes the plugin. The time limit is
   * that of a factory.
   */
  dispose?: (state: unknown) => unknown;
  /** Hosts that its tools may contact. A tool or its registration can name others instead. */
  hosts?: readonly string[];
  /** Names of other plugins' tools that this plugin replaces. Without an entry, two tools of one name are an error. */
  replaces?: readonly string[];
  /** The path of the module that defines the plugin. Hosts keep sessions from changing files that it may load later. */
  source?: string;
}
