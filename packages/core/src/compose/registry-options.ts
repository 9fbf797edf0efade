import type { Logger } from "../contract/ports.ts";
import type { Plugin } from "../contract/registration.ts";
import { optionsSchema } from "../parameters/check-options.ts";
import type { ToolDiagnostic } from "./build-tools.ts";
import type { PluginLifecycles } from "./lifecycle/plugin-lifecycle.ts";
import type { ToolCache } from "./tool-cache.ts";

/** Contains the shared state of consecutive registries. */
export interface RegistryLike {
  /** @internal */
  readonly toolCache: ToolCache;
  /** @internal */
  readonly lifecycles: PluginLifecycles;
}

/**
 * Configures a registry.
 *
 * @example
 * ```ts
 * import type { Plugin } from "@haft/core";
 * import { Registry } from "@haft/core/kernel";
 *
 * // Plugins that did not change go on without a new setup.
 * export function reload(previous: Registry, plugins: readonly Plugin[]): Registry {
 *   return new Registry({ plugins, previous, logger: console, factoryTimeoutMs: 5_000 });
 * }
 * ```
 */
export interface RegistryOptions {
  /** Lists the plugins; the first to register a name owns it. */
  plugins: readonly Plugin[];
  /** Lists plugins of the host, whose tools have rows in the session table. */
  builtIn?: readonly string[];
  /** Maps plugin ids to tools of {@link builtIn} plugins that they may replace. Default: all names they list. */
  replaces?: ReadonlyMap<string, readonly string[]>;
  /** Lists earlier problems, such as unloadable plugins. */
  diagnostics?: readonly ToolDiagnostic[];
  /** Milliseconds a factory may take. Default 10,000. */
  factoryTimeoutMs?: number;
  /** Logs every diagnostic. */
  logger?: Logger;
  /** Locates a part of a plugin's configuration, such as `haft.yaml:7`. */
  getSource?: (pluginId: string, path: readonly (string | number)[]) => string | undefined;
  /** Contains the previous registry. Common plugins continue without a new setup. */
  previous?: RegistryLike;
}

export const REGISTRY = /* @__PURE__ */ optionsSchema<RegistryOptions>(
  {
    plugins: { type: "array", description: "Lists the plugins; the first to claim a name owns it." },
    builtIn: { type: "array", description: "Lists the ids of plugins of the host." },
    replaces: { description: "Maps plugin ids to the built-in tools that they may replace, as a Map." },
    diagnostics: { type: "array", description: "Lists earlier problems." },
    factoryTimeoutMs: {
      "haft:kind": "milliseconds",
      exclusiveMinimum: 0,
      description: "Limits the run of a factory. Default 10,000.",
    },
    logger: { description: "Logs tools that are left out." },
    getSource: { "haft:kind": "function", description: "Locates a part of a plugin's configuration." },
    previous: { description: "Contains the previous registry." },
  },
  ["plugins"],
);
