import type { HostSessionOptions, Host } from "@haft/host";
import type { PluginReport } from "@haft/plugin-loader";
import { parsePackageName } from "@haft/plugin-loader/internal/plugins";
import { readSessionValues, type SessionValues } from "../session-arguments.ts";
import { SILENT } from "../stderr-logger.ts";
import { withHost } from "../with-host.ts";

export interface PluginsValues extends SessionValues {
  project?: boolean;
  "dry-run"?: boolean;
  json?: boolean;
}

export interface Survey {
  host: Host;
  session: HostSessionOptions;
  reports: readonly PluginReport[];
}

export async function withSurvey<T>(values: PluginsValues, work: (survey: Survey) => Promise<T>): Promise<T> {
  const { host: options, session } = await readSessionValues(values);
  return withHost({ ...options, logger: SILENT }, (host) => {
    const reports = host.plugins().filter(({ source }) => source !== "built-in");
    return work({ host, session, reports });
  });
}

/** By specifier, package name or id. */
export function findReports(word: string, reports: readonly PluginReport[]): PluginReport[] {
  const exact = reports.filter(({ use, id }) => use === word || id === word);
  return exact.length > 0 ? exact : reports.filter(({ use }) => parsePackageName(use) === word);
}

/** Tells whether a diagnostic reports a defect of a plugin, which makes `list` and `why` fail. Rules and names of others are none. */
export function isBroken(code: string): boolean {
  return code === "TOOL_INVALID" || code === "FACTORY_FAILED" || code.startsWith("PLUGIN_");
}
