import { didYouMean, escapeInvisible, nearestNames } from "@haft/core/internal";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { hostError } from "../../errors.ts";
import { placedAt } from "../../plugins/install/add-plugin.ts";
import type { InstallPlace } from "../../plugins/install/install-place.ts";
import { namedIn, useOf } from "../../plugins/install/name-plugin.ts";
import {
  removePlugin as remove,
  type RemovedPlugin,
  whyItStays,
} from "../../plugins/install/remove-plugin.ts";
import { packageNameOf } from "../../plugins/packages/package-spec.ts";
import type { PluginRecords } from "../../plugins/plugin-record.ts";
import { refuseInSession } from "../refuse-in-session.ts";
import { UsageError } from "../usage.ts";
import { interruptible } from "./interruptible.ts";
import type { PluginsAction } from "./plugins-action.ts";
import { readPlace, recordsOf, shownPath } from "./plugins-place.ts";
import { working } from "./progress.ts";

export const removePlugin: PluginsAction = async (words, values) => {
  const [word, ...more] = words;
  if (word === undefined) throw new UsageError("Which plugin? haft plugins list shows those that are named.");
  if (more.length > 0)
    throw new UsageError(`One plugin at a time; what is ${JSON.stringify(more.join(" "))}?`);
  refuseInSession("remove a plugin");
  const place = await readPlace(values);
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
    console.log(
      values.json
        ? JSON.stringify({ steps })
        : ["This would be done:", ...steps.map((step) => `  ${step}`)].join("\n"),
    );
    return 0;
  }
  return interruptible(values.json, async (signal) => {
    const removed = await remove(use, { place, allowScripts: false, records, working, signal });
    if (values.json) console.log(JSON.stringify(asData(removed, place)));
    else print(removed, place);
    return removed.outcome === "by hand" ? 1 : 0;
  });
};

/** A plugin by the name it has in the configuration, by its id, or by its path. @throws HaftError `PLUGIN_NOT_FOUND` */
async function findNamed(word: string, place: InstallPlace, records: PluginRecords): Promise<string> {
  const named = await namedIn(place);
  const path = useOf(resolve(word), place);
  const found =
    named.find((use) => use === word || use === path) ??
    named.find((use) => records.read(placedAt(use, place))?.plugin?.id === word) ??
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

function asData({ use, outcome, package: its }: RemovedPlugin, { file, as }: InstallPlace): object {
  return { use, ...(its !== undefined && { package: its }), configuration: { file, as, outcome } };
}

function print({ use, outcome, package: its }: RemovedPlugin, place: InstallPlace): void {
  const file = shownPath(place.file);
  const shown = escapeInvisible(use);
  if (outcome === "by hand")
    console.error(
      `haft: ${file} is for you to change: take ${shown} out of its plugins. Nothing was removed.`,
    );
  else console.log(`Took ${shown} out of ${file}.`);
  if (outcome === "by hand") return;
  const name = packageNameOf(use);
  if (its === "removed") console.log(`The package ${name} is removed.`);
  else if (its !== undefined) console.log(`The package ${name} stays: ${its.stays}.`);
}
