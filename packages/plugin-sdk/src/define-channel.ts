import {
  definePlugin,
  type Plugin,
  type PluginDefinition,
  type PluginToolFactory,
  type PluginToolRegistration,
} from "@haft/core";

/** Makes the tools that a channel brings to its own sessions; told what every factory is told. */
export type ChannelAgentToolFactory<Config = unknown, State = unknown> = PluginToolFactory<Config, State>;

/** A channel with tools of its own, as its author writes it: a plugin whose tools are there in its sessions alone. */
export interface ChannelDefinition<Schema extends object = object, State = unknown> extends PluginDefinition<
  Schema,
  State
> {
  /** Of the plugin; and the channel, as hosts name it in `messageChannel`, where `channels` does not say. */
  id: string;
  /** The channels it serves: `["telegram", "telegram-business"]`. Default: its id alone. */
  channels?: readonly string[];
}

/**
 * Makes a plugin of a channel's own tools: sessions of other channels, and of none, do not have them. A registration that names
 * channels itself keeps those.
 *
 * ```ts
 * export default defineChannel({ id: "telegram", tools: [sendSticker] });
 * ```
 */
export function defineChannel<Schema extends object = object, State = undefined>(
  definition: ChannelDefinition<Schema, State>,
): Plugin {
  const { channels = [definition.id], ...rest } = definition;
  const plugin = definePlugin(rest as PluginDefinition<Schema, State>);
  // What is no list, or no registration, is for the host to name.
  if (!Array.isArray(plugin.tools)) return plugin;
  const limited = (registration: PluginToolRegistration) =>
    typeof registration === "object" && registration !== null ? { channels, ...registration } : registration;
  return { ...plugin, tools: plugin.tools.map(limited) };
}
