import { didYouMean, escapeInvisible, nearestNames } from "@haft/core/internal";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { hostError } from "../../errors.ts";
import { pluginPlacedAt } from "../../plugins/install/add-plugin.ts";
import type { InstallPlace } from "../../plugins/install/install-place.ts";
import { namedIn, useOf } from "../../plugins/install/name-plugin.ts";
import {
  removePlugin as remove,
  type RemovedPlugin,
  whyItStays,
} from "../../plugins/install/remove-plugin.ts";
import { packageNameOf } from "../../plugins/packages/package-spec.ts";
import type { PluginRecords } from "../../plugins/plugin-record.ts";
import { interruptible } from "../call/until-signal.ts";
import type { PluginsValues } from "./open-survey.ts";
import { printSteps, readPluginsPlace, recordsOf, shownPath } from "./plugins-place.ts";
import { working } from "./progress.ts";

export async function removePluginCommand(
  values: PluginsValues,
  [word = ""]: readonly string[],
): Promise<number> {
  const place = await readPluginsPlace(values);
  const records = recordsOf(values);
  const use = place.kind === "code" ? word : await findNamed(word, place, records);
  if (values["dry-run"]) {
    const stays = await whyItStays(use, { place, records });
    const steps = [`take ${use} out of ${shownPath(place.file)}`];
    const name = packageNameOf(use);
    if (name !== undefined)
      steps.push(
        stays === undefined ? `remove the package ${name}` : `leave the package ${name}, since ${stays}`,
      );
    printSteps(values.json, steps);
    return 0;
  }
  return interruptible(values.json, async (signal) => {
    const removed = await remove(use, { place, allowScripts: false, records, working, signal });
    print(removed, place, values.json);
    return removed.outcome === "by hand" ? 1 : 0;
  });
}

/** A plugin by the name it has in the configuration, by its id, or by its path. @throws HaftError `PLUGIN_NOT_FOUND` */
async function findNamed(word: string, place: InstallPlace, records: PluginRecords): Promise<string> {
  const named = await namedIn(place);
  const path = useOf(resolve(word), place);
  const found =
    named.find((use) => use === word || use === path) ??
    named.find((use) => records.read(pluginPlacedAt(use, place))?.plugin?.id === word) ??
    named.find((use) => packageNameOf(use) === word.replace(/(?!^)@[^/]*$/, ""));
  if (found !== undefined) return found;
  const hint = didYouMean(nearestNames(word, named, 1));
  const these =
    named.length === 0 ? " It names none." : ` It names ${named.map(escapeInvisible).join(", ")}.`;
  throw hostError(
    "PLUGIN_NOT_FOUND",
    `${shownPath(place.file)} ${existsSync(place.file) ? "" : "is not there, and "}names no plugin ${JSON.stringify(word)}.${hint || these}`,
    {
      fix: "haft plugins list says where each is named; --project is about the project's configuration, --config about another.",
    },
  );
}

function print(
  { use, outcome, package: its }: RemovedPlugin,
  place: InstallPlace,
  json: boolean | undefined,
): void {
  const file = shownPath(place.file);
  const shown = escapeInvisible(use);
  const name = packageNameOf(use);
  if (json) {
    const configuration = { file: place.file, as: place.as, outcome };
    console.log(JSON.stringify({ use, package: its, configuration }));
  } else if (outcome === "by hand")
    console.error(
      `haft: ${file} is for you to change: take ${shown} out of its plugins. Nothing was removed.`,
    );
  else {
    console.log(`Took ${shown} out of ${file}.`);
    if (its === "removed") console.log(`The package ${name} is removed.`);
    else if (its !== undefined) console.log(`The package ${name} stays: ${its.stays}.`);
  }
}
