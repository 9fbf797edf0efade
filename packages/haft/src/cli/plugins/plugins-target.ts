import { type PluginReference, readConfig } from "@haft/config/internal/document";
import type { PluginReport } from "@haft/plugin-loader";
import { findInstallTarget, type InstallTarget } from "@haft/plugin-loader/internal/check";
import { PluginRecords } from "@haft/plugin-loader/internal/plugins";
import { escapeInvisible } from "@haft/utils";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, sep } from "node:path";
import { readStateValue } from "../location/state-value.ts";
import { readWorkspaceValue } from "../session-arguments.ts";
import { stderrLogger } from "../stderr-logger.ts";
import { UsageError } from "../usage.ts";
import { print } from "../write-out.ts";
import type { PluginsValues } from "./open-survey.ts";

/** The file must be valid. @throws HaftError `CONFIG_…`; UsageError */
export async function readPluginsTarget(values: PluginsValues): Promise<InstallTarget> {
  if (values.project && values.config !== undefined)
    throw new UsageError("--project and --config exclude each other; omit one.");
  const target = findInstallTarget({
    project: values.project ?? false,
    named: values.config,
    workspaceDir: readWorkspaceValue(values.workspace),
  });
  // Code would run when read, and Haft cannot edit it.
  if (existsSync(target.file) && target.kind === "text") await readConfig(target.file);
  return target;
}

export function openPluginRecords(values: Pick<PluginsValues, "state">): PluginRecords {
  return new PluginRecords(readStateValue(values.state), (message) => stderrLogger.warn(message));
}

/** `--plugin` records use the file itself. */
export function referenceFromReport({ use, source }: Pick<PluginReport, "use" | "source">): PluginReference {
  return { use, from: dirname(source === "--plugin" ? use : source), source };
}

export function printSteps(json: boolean | undefined, steps: readonly string[]): void {
  print(json, { steps }, () => ["Steps:", ...steps.map((step) => `  ${step}`)].join("\n"));
}

export function formatHomePath(path: string): string {
  const home = homedir();
  const short = path === home || path.startsWith(home + sep) ? `~${path.slice(home.length)}` : path;
  return escapeInvisible(short);
}
