import {
  toPluginReference,
  listConfiguredPlugins,
  formatPluginPath,
  type InstallTarget,
  removePlugin as remove,
  type RemovedPlugin,
  explainRetention,
} from "@haft/plugin-loader/internal/check";
import { parsePackageName, type PluginRecords } from "@haft/plugin-loader/internal/plugins";
import { didYouMean, escapeInvisible, nearestNames } from "@haft/utils";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { commandError } from "../../errors.ts";
import { runInterruptible } from "../call/signal-listener.ts";
import type { PluginsValues } from "./open-survey.ts";
import { printSteps, readPluginsTarget, openPluginRecords, formatHomePath } from "./plugins-target.ts";
import { showProgress } from "./progress.ts";

export async function removePluginCommand(
  values: PluginsValues,
  [word = ""]: readonly string[],
): Promise<number> {
  const installTarget = await readPluginsTarget(values);
  const records = openPluginRecords(values);
  const use = installTarget.kind === "code" ? word : await findNamed(word, installTarget, records);
  if (values["dry-run"]) {
    const stays = await explainRetention(use, { target: installTarget, records });
    const steps = [`remove ${use} from ${formatHomePath(installTarget.file)}`];
    const name = parsePackageName(use);
    if (name !== undefined)
      steps.push(
        stays === undefined ? `remove the package ${name}` : `keep the package ${name}, because ${stays}`,
      );
    printSteps(values.json, steps);
    return 0;
  }
  return runInterruptible(values.json, async (signal) => {
    const removed = await remove(use, {
      target: installTarget,
      allowScripts: false,
      records,
      withProgress: showProgress,
      signal,
    });
    print(removed, installTarget, values.json);
    return removed.outcome === "by hand" ? 1 : 0;
  });
}

/** By specifier, id, path or package name. */
async function findNamed(
  word: string,
  installTarget: InstallTarget,
  records: PluginRecords,
): Promise<string> {
  const named = await listConfiguredPlugins(installTarget);
  const path = formatPluginPath(resolve(word), installTarget);
  const found =
    named.find((use) => use === word || use === path) ??
    named.find((use) => records.read(toPluginReference(use, installTarget))?.plugin?.id === word) ??
    named.find((use) => parsePackageName(use) === word.replace(/(?!^)@[^/]*$/, ""));
  if (found !== undefined) return found;
  const hint = didYouMean(nearestNames(word, named, 1));
  const these =
    named.length === 0 ? " It names none." : ` It names ${named.map(escapeInvisible).join(", ")}.`;
  throw commandError(
    "PLUGIN_NOT_FOUND",
    `${formatHomePath(installTarget.file)} ${existsSync(installTarget.file) ? "" : "does not exist, and "}names no plugin ${JSON.stringify(word)}.${hint || these}`,
    {
      fix: "haft plugins list shows where each is configured; --project selects the project's configuration, --config another.",
    },
  );
}

function print(
  { use, outcome, package: its }: RemovedPlugin,
  installTarget: InstallTarget,
  json: boolean | undefined,
): void {
  const file = formatHomePath(installTarget.file);
  const shown = escapeInvisible(use);
  const name = parsePackageName(use);
  if (json) {
    const configuration = { file: installTarget.file, as: installTarget.as, outcome };
    console.log(JSON.stringify({ use, package: its, configuration }));
  } else if (outcome === "by hand")
    console.error(`haft: Edit ${file} yourself: remove ${shown} from its plugins. Nothing was removed.`);
  else {
    const isGone = outcome === "changed" && !existsSync(installTarget.file);
    console.log(
      `Removed ${shown} from ${file}.${isGone ? " The file contained nothing else and is deleted." : ""}`,
    );
    if (its === "removed") console.log(`The package ${name} is removed.`);
    else if (its !== undefined) console.log(`The package ${name} stays: ${its.stays}.`);
  }
}
