import { messageOf, type Plugin } from "@haft/core";
import { mistakeOf } from "@haft/core/internal";
import type { ToolDiagnostic } from "@haft/core/kernel";
import { attempt } from "@haft/workspace/internal/system";
import { isEntry, type PlacedPlugin, type PluginEntry, sourceOf } from "../config/placed-plugins.ts";
import { type PluginReport, reportPlugin } from "./plugin-report.ts";

export interface Opened {
  plugin?: Plugin;
  diagnostic?: ToolDiagnostic;
  replaces?: readonly string[] | undefined;
  code: readonly string[];
  place?: Pick<PlacedPlugin, "source" | "at" | "lineOf"> | undefined;
  report(): PluginReport;
}

/** A plugin that a program has loaded already, perhaps with what its operator says of it. */
export function openGiven(entry: Plugin | PluginEntry, index: number): Opened {
  const { source = "program", at } = sourceOf(entry) ?? {};
  const where = at === undefined ? `plugins[${index}] of this host` : `${at} of ${source}`;
  const isNothing = (value: unknown): Opened | undefined => {
    const mistake = attemptMistake(value);
    if (mistake === undefined) return undefined;
    const message = `${where} ${mistake.what}.`;
    return {
      diagnostic: { code: "PLUGIN_INVALID", pluginId: "", names: [], message, fix: mistake.fix },
      code: [],
      report: () => ({
        use: where,
        source,
        state: "broken",
        tools: [],
        replaces: [],
        notes: [],
        problem: { code: "PLUGIN_INVALID", message, fix: mistake.fix },
      }),
    };
  };
  const nothing = isEntry(entry) ? undefined : isNothing(entry);
  if (nothing !== undefined) return nothing;
  const { use, config, replaces = [] } = isEntry(entry) ? entry : { use: entry };
  const wrong = isNothing(use);
  if (wrong !== undefined) return wrong;
  const plugin = withSettings(use as Plugin, config, replaces);
  const report = () => reportPlugin(plugin, { source, at, replaces });
  return { plugin, replaces, code: [], place: sourceOf(entry), report };
}

function attemptMistake(value: unknown): ReturnType<typeof mistakeOf> {
  try {
    return mistakeOf(value);
  } catch (thrown) {
    return { what: `cannot be read: ${messageOf(thrown)}`, fix: "Report it to the plugin's author." };
  }
}

function withSettings(plugin: Plugin, config: unknown, replaces: readonly string[]): Plugin {
  if (config === undefined && replaces.length === 0) return plugin;
  return Object.create(plugin, {
    ...(config === undefined ? {} : { config: { value: config, enumerable: true } }),
    ...(replaces.length === 0
      ? {}
      : { replaces: { value: [...(attempt(() => plugin.replaces) ?? []), ...replaces], enumerable: true } }),
  }) as Plugin;
}
