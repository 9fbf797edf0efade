import type { ToolEffect } from "./plan.ts";
import type { SessionKind } from "./policy-port.ts";
import type { Logger, Workspace } from "./ports.ts";
import type { AnyTool, ModelFacts } from "./tool.ts";

/** The contract between plugins and hosts. It is raised when plugins for the one before stop working. */
export const CONTRACT_VERSION = 1;

/** What a factory is told about its session. Who sends a message is in the context of each call. */
export interface PluginToolContext<Config = unknown, State = unknown> {
  /** The plugin's own configuration: checked, with its defaults, and frozen, where it has a `configSchema`. */
  config: Config;
  /** What the plugin's `setup` answered; `undefined` without one. */
  state: State;
  /** Where relative paths start; absolute, in the spelling of the workspace. */
  workspaceDir: string;
  /** The folder of the agent; that of the workspace when the host names none. */
  agentDir: string;
  /** The agent that has the conversation. */
  agentId: string;
  /** Identity of the conversation. */
  sessionKey: string;
  /** The channel of the conversation, such as `telegram`; empty when there is none. */
  messageChannel: string;
  /** What the session may do by default. */
  sessionKind: SessionKind;
  /** The group or room of the conversation, as the host derived it; absent when there is none. */
  groupId?: string | undefined;
  /** The model of the session. */
  model: Readonly<ModelFacts>;
  /** Whether the session is one of kind `sandboxed`. */
  sandboxed: boolean;
  /** Files and processes, sandboxed like those of the built-in tools. */
  workspace: Workspace;
  /** The host's own log. */
  logger: Logger;
  /** Aborts when the factory's time is over or the session closes. */
  signal: AbortSignal;
}

/** Makes the tools of one registration. What it throws costs these tools alone. */
export type PluginToolFactory<Config = unknown, State = unknown> = (
  context: PluginToolContext<Config, State>,
) => AnyTool | AnyTool[] | null | Promise<AnyTool | AnyTool[] | null>;

/** A factory and the names it may make. The names are known without running code. */
export interface PluginToolRegistration<Config = unknown, State = unknown> {
  /** Makes the tools. */
  factory: PluginToolFactory<Config, State>;
  /** All names of tools it may make. */
  names: readonly string[];
  /** All effects of its tools, known before the factory runs. A tool with another effect is left out. */
  effects?: readonly ToolEffect[];
  /** All hosts that its tools may contact, as a tool names its own: they bound those, and hold where it names none. */
  hosts?: readonly string[];
  /** Off until an allow rule, a grant, the plugin id or `group:plugins` names it. */
  optional?: boolean;
  /** Only for sessions of these message channels. */
  channels?: readonly string[];
  /**
   * How long the factory's result is kept. `session` (the default): made for each session. One that is opened again under
   * the key of one that is still open shares its tools, if all that the factory read of that one is the same.
   * `host`: made once for all of them; such a factory is told its `config` and `state` and nothing of any
   * session, and its tools take their workspace from the context of each call.
   */
  scope?: "host" | "session";
  /** The factory always makes the same tools, so a host may load the plugin with the first call. */
  static?: boolean;
}

/** What a package of tools gives a host; made by `definePlugin`. */
export interface Plugin {
  /** {@link CONTRACT_VERSION} of the package it was written with; 1 when it does not say. */
  contract?: number;
  /** `[a-z0-9][a-z0-9-]*`; also a policy group. */
  id: string;
  /** For people. */
  name?: string;
  /** Of the plugin, for people. */
  version?: string;
  /** What it registers. */
  tools: readonly PluginToolRegistration[];
  /** Given to every factory as `context.config`; an operator's own comes instead of it. */
  config?: unknown;
  /**
   * What `config` may be: JSON Schema of an object, as `Type` makes it, or a Standard Schema. Checked before anything of the
   * plugin runs but its module. Defaults are filled in, and keys that no `properties` name are errors. A part that is marked
   * `"x-secret": true` is covered in whatever is shown or kept.
   */
  configSchema?: object;
  /**
   * Makes what all its tools share, such as a connection: once for each host, before the first factory or call needs it.
   * What it answers is `context.state`. It has as long as a factory; `signal` aborts when that is over, and when the plugin
   * is disposed of.
   */
  setup?: (context: Pick<PluginToolContext, "config" | "logger" | "signal">) => unknown;
  /** Ends what `setup` made: as the host closes, or a reload drops or changes the plugin. It has as long as a factory. */
  dispose?: (state: unknown) => unknown;
  /** Hosts that its tools may contact, where neither a tool nor its registration says. */
  hosts?: readonly string[];
  /** Names of other plugins' tools this one replaces on purpose. Without it a collision is an error. */
  replaces?: readonly string[];
  /** Path of the module that defines it. Hosts keep sessions from changing what they may load of it later. */
  source?: string;
}
