import { withoutUndefined } from "@haft/utils";
import { fileURLToPath } from "node:url";
import type { getCallSites as GetCallSites } from "node:util";
import {
  CONTRACT_VERSION,
  type Plugin,
  type PluginToolContext,
  type PluginToolRegistration,
} from "./registration.ts";
import type { AnyTool, ParametersOf } from "./tool.ts";

/**
 * A plugin as its author writes it. The type of `config` follows from `configSchema`; that of `state` from `setup`, which
 * has to come before `tools`.
 *
 * @example
 * ```ts
 * import { definePlugin, defineTool, text, Type } from "@haft/plugin-sdk";
 *
 * export default definePlugin({
 *   id: "weather",
 *   configSchema: Type.Object({ station: Type.String({ default: "EDDM" }) }),
 *   hosts: ["api.example.com"],
 *   setup: ({ config }) => ({ url: `https://api.example.com/${config.station}` }),
 *   tools: [
 *     {
 *       names: ["weather"],
 *       factory: ({ state }) =>
 *         defineTool({
 *           name: "weather",
 *           description: "Tells the weather at the station.",
 *           parameters: Type.Object({}),
 *           effects: ["network"],
 *           async execute(_toolCallId, _params, signal, _onUpdate, { fetch }) {
 *             const answer = await fetch(state.url, { signal });
 *             return { content: [text(await answer.text())], details: { status: answer.status } };
 *           },
 *         }),
 *     },
 *   ],
 * });
 * ```
 */
export interface PluginDefinition<Schema extends object = object, State = unknown> extends Omit<
  Plugin,
  "tools" | "contract" | "configSchema" | "setup" | "dispose"
> {
  /** The {@link CONTRACT_VERSION} the plugin is written for. Default: the version of this package. */
  apiVersion?: number;
  /** The schema of the configuration; see {@link Plugin.configSchema}. */
  configSchema?: Schema;
  /** Makes what all tools of the plugin share; see {@link Plugin.setup}. */
  setup?: (
    context: Pick<PluginToolContext<ParametersOf<Schema>>, "config" | "logger" | "signal">,
  ) => State | Promise<State>;
  /** Tools, and factories for tools that depend on the session. */
  tools: readonly (AnyTool | PluginToolRegistration<ParametersOf<Schema>, State>)[];
  /** Ends what `setup` made; see {@link Plugin.dispose}. */
  dispose?: (state: State) => unknown;
}

/** Frames that are looked at for the module that calls. */
const MAX_FRAMES = 8;

/**
 * Makes a plugin of a definition. Each finished tool becomes a registration; a factory in `tools` stays as it is. The plugin notes
 * the contract version and, in `source`, the module that called this function.
 *
 * @example
 * ```ts run
 * import { definePlugin, defineTool, text, Type } from "@haft/plugin-sdk";
 *
 * const now = defineTool({
 *   name: "now",
 *   description: "Tells the time.",
 *   parameters: Type.Object({}),
 *   effects: [],
 *   execute: async () => ({ content: [text(new Date().toISOString())], details: {} }),
 * });
 * export default definePlugin({ id: "clock", version: "1.0.0", tools: [now] });
 * ```
 */
export function definePlugin<Schema extends object = object, State = undefined>(
  definition: PluginDefinition<Schema, State>,
): Plugin {
  const source = definition.source ?? callingModule();
  const { tools: given, apiVersion: contract = CONTRACT_VERSION, ...rest } = definition;
  // What is no list, or no tool, is for the host to name: a module that throws here could not be asked.
  const tools = Array.isArray(given) ? given.map(toRegistration) : (given as unknown as Plugin["tools"]);
  // Whoever runs it gives each function what it was written for.
  return withoutUndefined<Plugin>({ ...(rest as Omit<Plugin, "tools">), contract, tools, source });
}

function toRegistration(entry: AnyTool | PluginToolRegistration): PluginToolRegistration {
  if (typeof entry !== "object" || entry === null || "factory" in entry) return entry;
  return { factory: () => entry, names: [entry.name], scope: "host", static: true };
}

/** The file of the first function outside of this one: the same, where an author bundles the SDK with the plugin. */
function callingModule(): string | undefined {
  // Other runtimes than Node do without, and would not load a module that imports it; there the author says it.
  const util: { getCallSites?: typeof GetCallSites } = process.getBuiltinModule("node:util");
  const frames = util.getCallSites?.(MAX_FRAMES) ?? [];
  // Written with another function of the SDK, which stands in front of the author's module.
  const above = frames.findLastIndex(({ functionName }) => functionName === "defineChannel") + 1;
  const own = frames[0]?.scriptName;
  const callers = frames.slice(Math.max(above, 1)).map(({ scriptName }) => scriptName);
  const caller = callers.find((name) => name !== own) ?? own;
  if (caller?.startsWith("file:") === true) return fileURLToPath(caller);
  return caller?.startsWith("/") === true ? caller : undefined;
}
