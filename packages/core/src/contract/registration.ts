import type { ToolEffect } from "./plan.ts";
import type { SessionKind } from "./policy-port.ts";
import type { Logger, Workspace } from "./ports.ts";
import type { AnyTool, ModelFacts } from "./tool.ts";

/** Versions the contract between plugins and hosts. It rises when plugins for the previous version stop working. */
export const CONTRACT_VERSION = 1;

/** Describes the session to a factory. The sender of a message is in the context of each call instead. */
export interface PluginToolContext<Config = unknown, State = unknown> {
  /** Contains the configuration of the plugin. With a `configSchema` it is valid, complete with defaults and frozen. */
  config: Config;
  /** Contains the result of the plugin's `setup`, or `undefined`. */
  state: State;
  /** Contains the absolute folder of relative paths, as the workspace spells it. */
  workspaceDir: string;
  /** Locates the folder of the agent. Default: the folder of the workspace. */
  agentDir: string;
  /** Identifies the agent of the conversation. */
  agentId: string;
  /** Identifies the conversation. */
  sessionKey: string;
  /** Names the channel, such as `telegram`; empty without a channel. */
  messageChannel: string;
  /** States the kind of the session, which selects its default rights. */
  sessionKind: SessionKind;
  /** Identifies the group or room, as the host derived it; absent if there is none. */
  groupId?: string | undefined;
  /** Describes the model of the session. */
  model: Readonly<ModelFacts>;
  /** Tells whether the kind is `sandboxed`. */
  sandboxed: boolean;
  /** Accesses files and processes, sandboxed like those of the built-in tools. */
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
 * Names the tools that a factory may create, so that hosts know the names without running code.
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
  /** Lists all effects of its tools before the factory runs. A tool with another effect is left out. */
  effects?: readonly ToolEffect[];
  /** Lists all hosts that its tools may contact. A tool's list can only narrow it. */
  hosts?: readonly string[];
  /** Keeps the tools off until an allow rule, a grant, the plugin id or `group:plugins` names them. */
  optional?: boolean;
  /** Limits the tools to sessions of these message channels. Default: all. */
  channels?: readonly string[];
  /**
   * Limits the reuse of the tools. `session` (default): the factory runs for each session; open sessions of one key share tools if all
   * facts that it read are equal. `host`: it runs once, with only `config` and `state`; its tools use the workspace of each call's context.
   */
  scope?: "host" | "session";
  /** Promises the same tools each time. A host may then load the plugin at the first call. */
  static?: boolean;
}

/** Publishes tools for a host. `definePlugin` creates it. */
export interface Plugin {
  /** States the {@link CONTRACT_VERSION} of the package that it was written with. Default 1. */
  contract?: number;
  /** Identifies the plugin: `[a-z0-9][a-z0-9-]*`. Policies use it as the name of a group. */
  id: string;
  /** Names the plugin for people. */
  name?: string;
  /** States its version for people. */
  version?: string;
  /** Lists the registrations of its tools. */
  tools: readonly PluginToolRegistration[];
  /** Configures every factory as `context.config`. A configuration by the operator replaces it. */
  config?: unknown;
  /**
   * Describes `config`: JSON Schema of an object, as `Type` makes it, or a Standard Schema. The host validates the configuration before any
   * code of the plugin runs except its module, adds defaults and rejects keys that `properties` does not name. Parts marked `"x-secret":
   * true` are masked wherever the configuration is shown or stored.
   */
  configSchema?: object;
  /**
   * Creates shared state for all tools, such as a connection, as `context.state`. Runs once for each host, before the first factory or call
   * needs it. The deadline is that of a factory; `signal` aborts at the deadline and when the plugin is disposed of.
   */
  setup?: (context: Pick<PluginToolContext, "config" | "logger" | "signal">) => unknown;
  /**
   * Releases the state of `setup`. Runs when the host closes, and when a reload drops or changes the plugin. The deadline is that of a
   * factory.
   */
  dispose?: (state: unknown) => unknown;
  /** Lists hosts that its tools may contact. A tool or its registration can name others instead. */
  hosts?: readonly string[];
  /** Names tools of other plugins that this plugin replaces. Without an entry, two tools of one name are an error. */
  replaces?: readonly string[];
  /** Locates the defining module. Hosts prevent sessions from changing files that it may load later. */
  source?: string;
}
