import type { HostSessionOptions } from "../../host/host-options.ts";
import { createHost, type Host } from "../../host/host.ts";
import { packageNameOf } from "../../plugins/packages/package-spec.ts";
import type { PluginReport } from "../../plugins/plugin-report.ts";
import { readSessionValues } from "../session-arguments.ts";
import type { PluginsValues } from "./plugins-action.ts";

/** A host as other commands have it, to look at. */
export interface Survey {
  host: Host;
  session: HostSessionOptions;
  reports: readonly PluginReport[];
}

/** Looks at plugins as every command would have them. */
export async function withSurvey<T>(values: PluginsValues, look: (survey: Survey) => Promise<T>): Promise<T> {
  const { host: options, session } = await readSessionValues(values);
  const host = await createHost({ ...options, logger: SILENT });
  try {
    const reports = host.plugins().filter(({ source }) => source !== "built-in");
    return await look({ host, session, reports });
  } finally {
    await host.close();
  }
}

/** What is wrong with plugins is what is shown; a log would say it once more. */
const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/** The plugins that are called so: as they are named, by their package, or by their id. */
export function called(word: string, reports: readonly PluginReport[]): PluginReport[] {
  const exact = reports.filter(({ use, id }) => use === word || id === word);
  return exact.length > 0 ? exact : reports.filter(({ use }) => packageNameOf(use) === word);
}
