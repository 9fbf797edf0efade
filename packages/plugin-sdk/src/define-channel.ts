import {
  definePlugin,
  type Plugin,
  type PluginDefinition,
  type PluginToolFactory,
  type PluginToolRegistration,
} from "@haft/core";

/** Makes the tools of a channel for its sessions, with the context of every factory. */
export type ChannelAgentToolFactory<Config = unknown, State = unknown> = PluginToolFactory<Config, State>;

/** Describes a channel with tools: a plugin whose tools exist only in sessions of the channel. */
export interface ChannelDefinition<Schema extends object = object, State = unknown> extends PluginDefinition<
  Schema,
  State
> {
  /** Identifies the plugin. Without `channels`, it is also the name of the channel in `messageChannel`. */
  id: string;
  /** Lists the channels: `["telegram", "telegram-business"]`. Default: its id. */
  channels?: readonly string[];
}

/**
 * Makes a plugin from the tools of a channel. Other sessions do not have them. A registration with `channels` keeps its own list.
 *
 * @example
 * ```ts run
 * import { defineChannel, defineTool, text, Type } from "@haft/plugin-sdk";
 *
 * const react = defineTool({
 *   name: "react",
 *   description: "Adds a reaction to the last message.",
 *   parameters: Type.Object({ emoji: Type.String() }),
 *   effects: ["message"],
 *   execute: async (_toolCallId, { emoji }) => ({ content: [text(`Reacted with ${emoji}`)], details: {} }),
 * });
 * const channel = defineChannel({ id: "telegram", tools: [react] });
 * channel.tools[0]?.channels; // => ["telegram"]
 * ```
 */
export function defineChannel<Schema extends object = object, State = undefined>(
  definition: ChannelDefinition<Schema, State>,
): Plugin {
  const { channels = [definition.id], ...rest } = definition;
  const plugin = definePlugin(rest as PluginDefinition<Schema, State>);
  // The host reports an invalid list or registration.
  if (!Array.isArray(plugin.tools)) return plugin;
  const limited = (registration: PluginToolRegistration) =>
    typeof registration === "object" && registration !== null ? { channels, ...registration } : registration;
  return { ...plugin, tools: plugin.tools.map(limited) };
}
