import type { Logger, Workspace } from "./ports.ts";
import type { AnyTool } from "./tool.ts";

/**
 * The contract between plugins and hosts: what this package exports. It is raised when a plugin that was written for the
 * one before would no longer work, whatever the versions of the packages.
 */
export const CONTRACT_VERSION = 1;

/** What a tool factory is told about the session it makes tools for. */
export interface PluginToolContext {
  /** The plugin's own configuration. */
  config: unknown;
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
export type PluginToolFactory = (
  context: PluginToolContext,
) => AnyTool | AnyTool[] | null | Promise<AnyTool | AnyTool[] | null>;

/**
 * One registration of a plugin: a factory and the names it may make. Names are known without
 * running code, so policy and catalogues never have to.
 */
export interface PluginToolRegistration {
  /** Makes the tools. */
  factory: PluginToolFactory;
  /** All names of tools it may make. */
  names: readonly string[];
  /** Off until an allow rule, a grant, the plugin id or `group:plugins` names it. */
  optional?: boolean;
  /** Only for sessions of these message channels. */
  channels?: readonly string[];
  /**
   * How long the factory's result is kept. `session` (the default): made for each session.
   * `host`: made once for all of them; such a factory is told its `config` and nothing of any
   * session, and its tools take their workspace from the context of each call.
   */
  scope?: "host" | "session";
  /**
   * The factory makes the same tools whatever it is told and wherever it runs, so a host may offer what it knows of them
   * and load the plugin when one is called. `definePlugin` says so of finished tools.
   */
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
  /** Given to every factory as `context.config`. */
  config?: unknown;
  /** Names of other plugins' tools this one replaces on purpose. Without it a collision is an error. */
  replaces?: readonly string[];
  /** Path of the module that defines it. Hosts keep sessions from changing what they may load of it later. */
  source?: string;
}
