import type { Logger, Workspace } from "./ports.ts";
import type { AnyTool } from "./tool.ts";

/** What a tool factory is told about the session it makes tools for. */
export interface PluginToolContext {
  /** The plugin's own configuration. */
  config: unknown;
  workspaceDir: string;
  agentDir: string;
  agentId: string;
  sessionKey: string;
  messageChannel: string;
  sandboxed: boolean;
  /** Files and processes, sandboxed like those of the built-in tools. */
  workspace: Workspace;
  logger: Logger;
  /** Aborts when the factory's time is over or the session closes. */
  signal: AbortSignal;
}

export type PluginToolFactory = (
  context: PluginToolContext,
) => AnyTool | AnyTool[] | null | Promise<AnyTool | AnyTool[] | null>;

/**
 * One registration of a plugin: a factory and the names it may make. Names are known without
 * running code, so policy and catalogues never have to.
 */
export interface PluginToolRegistration {
  factory: PluginToolFactory;
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
}

export interface Plugin {
  /** `[a-z0-9][a-z0-9-]*`; also a policy group. */
  id: string;
  /** For people. */
  name?: string;
  version?: string;
  tools: readonly PluginToolRegistration[];
  /** Given to every factory as `context.config`. */
  config?: unknown;
  /** Names of other plugins' tools this one replaces on purpose. Without it a collision is an error. */
  replaces?: readonly string[];
  /** Path of the module that defines it. Hosts keep sessions from changing what they may load of it later. */
  source?: string;
}
