import type { AnyTool, Plugin, PluginToolRegistration } from "@haft/core";

/** A plugin as its author writes it: finished tools, factories that need the session, or both. */
export interface PluginDefinition extends Omit<Plugin, "tools"> {
  tools: readonly (AnyTool | PluginToolRegistration)[];
}

/** Turns finished tools into registrations, so that hosts see one shape. */
export function definePlugin(definition: PluginDefinition): Plugin {
  return { ...definition, tools: definition.tools.map(toRegistration) };
}

function toRegistration(entry: AnyTool | PluginToolRegistration): PluginToolRegistration {
  if ("factory" in entry) return entry;
  return { factory: () => entry, names: [entry.name], scope: "host" };
}
