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
