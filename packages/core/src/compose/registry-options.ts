import type { Logger } from "../contract/ports.ts";
import type { Plugin } from "../contract/registration.ts";
import { optionsSchema } from "../parameters/check-options.ts";
import type { ToolDiagnostic } from "./build-tools.ts";
import type { PluginLifecycles } from "./lifecycle/plugin-lifecycle.ts";
import type { ToolCache } from "./tool-cache.ts";

/** What registries that follow each other have together. */
export interface RegistryLike {
  /** @internal */
  readonly toolCache: ToolCache;
  /** @internal */
  readonly lifecycles: PluginLifecycles;
}

/** What a registry is made of. */
export interface RegistryOptions {
  /** In order: the first to claim a name has it. */
  plugins: readonly Plugin[];
  /** Plugins that came with the host; their tools have cells in the session table. */
  builtIn?: readonly string[];
  /** Plugin id → names of tools of {@link builtIn} plugins that it may replace. Default: all that it wants to. */
  replaces?: ReadonlyMap<string, readonly string[]>;
  /** What was found wrong before: plugins that could not be loaded. */
  diagnostics?: readonly ToolDiagnostic[];
  /** Milliseconds a factory may take. Default 10,000. */
  factoryTimeoutMs?: number;
  /** Told of every diagnostic. */
  logger?: Logger;
  /** Where a part of the configuration of a plugin stands, for messages: `haft.yaml:7: plugins[0].config.units`. */
  getSource?: (pluginId: string, path: readonly (string | number)[]) => string | undefined;
  /** The registry before this one: plugins that both have go on as they are. */
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
