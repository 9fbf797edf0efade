import type { Plugin } from "@haft/core";
import { withoutSecrets } from "@haft/core/internal";
import { isEntry, type PluginEntry, placeOf } from "../../config/placed-plugins.ts";
import type { PluginReport } from "../../plugins/plugin-report.ts";

const NOT_SHOWN = "not shown: the plugin does not say what of it is secret";

/** What its operator says of a plugin, as far as it may be shown; `undefined` for nothing. */
export function shownConfig(entry: Plugin | PluginEntry, report: PluginReport | undefined): unknown {
  const config = placeOf(entry)?.config ?? (isEntry(entry) ? entry.config : undefined);
  if (config === undefined) return undefined;
  const { configSchema } = report ?? {};
  return configSchema === undefined ? NOT_SHOWN : withoutSecrets(configSchema, config);
}
