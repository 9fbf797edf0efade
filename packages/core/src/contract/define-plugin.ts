import { fileURLToPath } from "node:url";
import { getCallSites } from "node:util";
import { CONTRACT_VERSION, type Plugin, type PluginToolRegistration } from "./registration.ts";
import type { AnyTool } from "./tool.ts";
import { withoutUndefined } from "./without-undefined.ts";

/** A plugin as its author writes it: finished tools, factories that need the session, or both. */
export interface PluginDefinition extends Omit<Plugin, "tools" | "contract"> {
  /** Tools, and factories of tools that depend on the session. */
  tools: readonly (AnyTool | PluginToolRegistration)[];
}

/** Frames that are looked at for the module that calls. */
const MOST_FRAMES = 8;

/**
 * Turns finished tools into registrations, so that hosts see one shape. Notes where it was called as `source`, and the
 * contract it was written for.
 */
export function definePlugin(definition: PluginDefinition): Plugin {
  const source = definition.source ?? callingModule();
  const { tools: given } = definition;
  // What is no list, or no tool, is for the host to name: a module that throws here could not be asked.
  const tools = Array.isArray(given) ? given.map(toRegistration) : (given as Plugin["tools"]);
  return withoutUndefined({ ...definition, contract: CONTRACT_VERSION, tools, source });
}

function toRegistration(entry: AnyTool | PluginToolRegistration): PluginToolRegistration {
  if (typeof entry !== "object" || entry === null || "factory" in entry) return entry;
  return { factory: () => entry, names: [entry.name], scope: "host", static: true };
}

/** The file of the first function outside of this one: the same, where an author bundles the SDK with the plugin. */
function callingModule(): string | undefined {
  const [own, ...callers] = getCallSites(MOST_FRAMES).map(({ scriptName }) => scriptName);
  const caller = callers.find((name) => name !== own) ?? own;
  if (caller?.startsWith("file:") === true) return fileURLToPath(caller);
  return caller?.startsWith("/") === true ? caller : undefined;
}
