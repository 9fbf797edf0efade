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
  const place = await readPluginsTarget(values);
  const records = openPluginRecords(values);
  const use = place.kind === "code" ? word : await findNamed(word, place, records);
  if (values["dry-run"]) {
    const stays = await explainRetention(use, { target: place, records });
    const steps = [`remove ${use} from ${formatHomePath(place.file)}`];
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
      target: place,
      allowScripts: false,
      records,
      withProgress: showProgress,
      signal,
    });
    print(removed, place, values.json);
    return removed.outcome === "by hand" ? 1 : 0;
  });
}

/** Matches the specifier, id, path or package name. */
async function findNamed(word: string, place: InstallTarget, records: PluginRecords): Promise<string> {
  const named = await listConfiguredPlugins(place);
  const path = formatPluginPath(resolve(word), place);
  const found =
    named.find((use) => use === word || use === path) ??
    named.find((use) => records.read(toPluginReference(use, place))?.plugin?.id === word) ??
    named.find((use) => parsePackageName(use) === word.replace(/(?!^)@[^/]*$/, ""));
  if (found !== undefined) return found;
  const hint = didYouMean(nearestNames(word, named, 1));
  const these =
    named.length === 0 ? " It names none." : ` It names ${named.map(escapeInvisible).join(", ")}.`;
  throw commandError(
    "PLUGIN_NOT_FOUND",
    `${formatHomePath(place.file)} ${existsSync(place.file) ? "" : "does not exist, and "}names no plugin ${JSON.stringify(word)}.${hint || these}`,
    {
      fix: "haft plugins list shows where each is configured; --project selects the project's configuration, --config another.",
    },
  );
}

function print(
  { use, outcome, package: its }: RemovedPlugin,
  place: InstallTarget,
  json: boolean | undefined,
): void {
  const file = formatHomePath(place.file);
  const shown = escapeInvisible(use);
  const name = parsePackageName(use);
  if (json) {
    const configuration = { file: place.file, as: place.as, outcome };
    console.log(JSON.stringify({ use, package: its, configuration }));
  } else if (outcome === "by hand")
    console.error(`haft: Edit ${file} yourself: remove ${shown} from its plugins. Nothing was removed.`);
  else {
    console.log(`Removed ${shown} from ${file}.`);
    if (its === "removed") console.log(`The package ${name} is removed.`);
    else if (its !== undefined) console.log(`The package ${name} stays: ${its.stays}.`);
  }
}
