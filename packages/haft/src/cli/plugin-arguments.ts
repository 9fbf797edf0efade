import { defaultStateFolder } from "@haft/config/internal/boundary";
import { mergeConfig } from "@haft/config/internal/document";
import type { HostOptions } from "@haft/host";
import { findHostConfiguration, readMcpSettings } from "@haft/host/internal/host";
import { readPluginValue, type SessionValues } from "./session-arguments.ts";
import { stderrLogger } from "./stderr-logger.ts";

/** Returns what gives tools to a host. Stores plugin records even if the host stores nothing. */
export async function readToolValues({
  plugin = [],
  config = true,
  "no-config": none = false,
}: Pick<SessionValues, "plugin" | "no-config"> & { config?: string | boolean }): Promise<
  Pick<HostOptions, "mcp"> & { plugins: NonNullable<HostOptions["plugins"]> }
> {
  const configuration = none ? undefined : await findHostConfiguration({ config, policy: {} });
  const ofFiles = configuration && mergeConfig(configuration).plugins;
  const named = [...(ofFiles ?? []), ...plugin.map(readPluginValue)];
  await preloadPlugins(named);
  return { plugins: named, ...(configuration && { mcp: readMcpSettings(configuration) }) };
}

/** Hosts without a state folder then need not load them. */
export async function preloadPlugins(plugins: NonNullable<HostOptions["plugins"]>): Promise<void> {
  if (plugins.length === 0) return;
  const { openPlugins } = await import("@haft/plugin-loader/internal/plugins");
  await openPlugins(plugins, {
    stateDir: defaultStateFolder(),
    warn: (message) => stderrLogger.warn(message),
  });
}
