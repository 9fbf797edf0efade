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
 * Defines a plugin. `configSchema` types `config`; `setup`, which has to come before `tools`, types `state`.
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
  /** States the {@link CONTRACT_VERSION} of the plugin. Default: the version of this package. */
  apiVersion?: number;
  /** Describes the configuration; see {@link Plugin.configSchema}. */
  configSchema?: Schema;
  /** Creates the state of all tools; see {@link Plugin.setup}. */
  setup?: (
    context: Pick<PluginToolContext<ParametersOf<Schema>>, "config" | "logger" | "signal">,
  ) => State | Promise<State>;
  /** Lists tools, and factories for session-dependent tools. */
  tools: readonly (AnyTool | PluginToolRegistration<ParametersOf<Schema>, State>)[];
  /** Releases the state; see {@link Plugin.dispose}. */
  dispose?: (state: State) => unknown;
}

/** Limits the search for the caller. */
const MAX_FRAMES = 8;

/**
 * Creates a plugin from tools and factories, with the contract version and, in `source`, the calling module.
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
  // The host reports invalid lists and tools; an error here would name no plugin.
  const tools = Array.isArray(given) ? given.map(toRegistration) : (given as unknown as Plugin["tools"]);
  // The host calls each function with the types that it was written for.
  return withoutUndefined<Plugin>({ ...(rest as Omit<Plugin, "tools">), contract, tools, source });
}

function toRegistration(entry: AnyTool | PluginToolRegistration): PluginToolRegistration {
  if (typeof entry !== "object" || entry === null || "factory" in entry) return entry;
  return { factory: () => entry, names: [entry.name], scope: "host", static: true };
}

/** Returns the first other file, or this file if bundled. */
function callingModule(): string | undefined {
  // Other runtimes lack this function, so it cannot be imported. There, authors set `source`.
  const util: { getCallSites?: typeof GetCallSites } = process.getBuiltinModule("node:util");
  const frames = util.getCallSites?.(MAX_FRAMES) ?? [];
  // `defineChannel` of the SDK calls this function between the author's module and this frame.
  const above = frames.findLastIndex(({ functionName }) => functionName === "defineChannel") + 1;
  const thisFile = frames[0]?.scriptName;
  const callers = frames.slice(Math.max(above, 1)).map(({ scriptName }) => scriptName);
  const caller = callers.find((name) => name !== thisFile) ?? thisFile;
  if (caller?.startsWith("file:") === true) return fileURLToPath(caller);
  return caller?.startsWith("/") === true ? caller : undefined;
}
