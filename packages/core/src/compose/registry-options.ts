import type { Logger } from "../contract/ports.ts";
import type { Plugin } from "../contract/registration.ts";
import { optionsSchema } from "../parameters/check-options.ts";
import type { ToolDiagnostic } from "./build-tools.ts";
import type { PluginLifecycles } from "./lifecycle/plugin-lifecycle.ts";
import type { ToolCache } from "./tool-cache.ts";

/** What consecutive registries share. */
export interface RegistryLike {
  /** @internal */
  readonly toolCache: ToolCache;
  /** @internal */
  readonly lifecycles: PluginLifecycles;
}

/**
 * Options for a registry.
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
  /** The plugins, in order: the first to register a name has it. */
  plugins: readonly Plugin[];
  /** The ids of plugins that came with the host. The session table has rows for their tools. */
  builtIn?: readonly string[];
  /** For each plugin id, the names of tools of {@link builtIn} plugins that it may replace. Default: all that it names. */
  replaces?: ReadonlyMap<string, readonly string[]>;
  /** Problems found earlier, such as plugins that could not be loaded. */
  diagnostics?: readonly ToolDiagnostic[];
  /** Milliseconds a factory may take. Default 10,000. */
  factoryTimeoutMs?: number;
  /** The log for every diagnostic. */
  logger?: Logger;
  /** Returns where a part of a plugin's configuration is, for messages: `haft.yaml:7: plugins[0].config.units`. */
  getSource?: (pluginId: string, path: readonly (string | number)[]) => string | undefined;
  /** The registry before this one. Plugins that both have go on without a new setup. */
  previous?: RegistryLike;
}

export const REGISTRY = /* @__PURE__ */ optionsSchema<RegistryOptions>(
  {
    plugins: { type: "array", description: "The plugins, the first to claim a name having it." },
    builtIn: { type: "array", description: "The ids of those that came with the host." },
    replaces: { description: "What of built-in tools each plugin may replace, by its id: a Map." },
    diagnostics: { type: "array", description: "What was found wrong before." },
    factoryTimeoutMs: {
      "haft:kind": "milliseconds",
      description: "What a factory may take. Default 10,000.",
    },
    logger: { description: "Where it is logged what is not composed." },
    getSource: { "haft:kind": "function", description: "Where a part of a plugin's configuration stands." },
    previous: { description: "The registry before this one." },
  },
  ["plugins"],
);
