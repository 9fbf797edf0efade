import { messageOf } from "../contract/errors.ts";
import type { Plugin, PluginToolRegistration } from "../contract/registration.ts";
import type { Entry } from "./make-tools.ts";

/** The registrations of a plugin, or what is wrong with it. */
export type PluginCheck = { entries: Entry[] } | { problem: string };

/** Reads a foreign plugin once. Never throws: one that cannot be read costs nobody else's tools. */
export function checkPlugin(plugin: Plugin): PluginCheck {
  try {
    const { id, tools } = plugin;
    if (typeof id !== "string" || !/^[a-z0-9][a-z0-9-]*$/.test(id)) {
      return { problem: `A plugin id is lower-case letters, digits and dashes; got ${JSON.stringify(id)}.` };
    }
    if (!Array.isArray(tools)) return { problem: `Plugin "${id}" has no list of tools.` };
    const entries: Entry[] = [];
    for (const registration of tools as readonly PluginToolRegistration[]) {
      const { factory, names, channels, scope = "session" } = registration;
      if (typeof factory !== "function")
        return { problem: `Plugin "${id}" registers tools without a factory.` };
      if (!isListOfText(names))
        return { problem: `Plugin "${id}" registers a factory without the names it makes.` };
      if (channels !== undefined && !isListOfText(channels))
        return { problem: `Plugin "${id}" limits tools to channels that are no list.` };
      entries.push({ plugin, registration, names: [...names], scope });
    }
    return { entries };
  } catch (thrown) {
    return { problem: `A plugin cannot be read: ${messageOf(thrown)}.` };
  }
}

function isListOfText(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
