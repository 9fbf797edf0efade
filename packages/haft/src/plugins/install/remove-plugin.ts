import { existsSync } from "node:fs";
import { uninstallPackage } from "../packages/install-package.ts";
import { storedContentOf, writeWhole } from "../packages/kept-files.ts";
import { packageNameOf } from "../packages/package-spec.ts";
import { dependencyOf } from "../packages/pinned.ts";
import { type AddOptions, pluginPlacedAt } from "./add-plugin.ts";
import { whileNobodyElse } from "./edit-lock.ts";
import { namedIn, type Outcome, unnameIn } from "./name-plugin.ts";
import { pinnedBeside, triedAgain } from "./plugins-beside.ts";

export interface RemovedPlugin {
  use: string;
  outcome: Outcome;
  package: "removed" | { stays: string } | undefined;
}

/**
 * Takes a plugin out of a configuration, and its package out of the packages where nobody else uses it. Where that fails,
 * nothing is changed.
 *
 * @param use as the configuration names it
 * @throws HaftError `PACKAGE_…`, `CONFIG_INVALID`, `FILE_BUSY`
 */
export async function removePlugin(use: string, options: AddOptions): Promise<RemovedPlugin> {
  const { place, records } = options;
  return whileNobodyElse(options, async () => {
    const before = existsSync(place.file) ? storedContentOf(place.file) : undefined;
    const outcome = await unnameIn(place, use);
    const stays = await whyItStays(use, options);
    const name = packageNameOf(use);
    const beside = await pinnedBeside(use, options);
    const isGone = name !== undefined && stays === undefined && outcome !== "by hand";
    if (isGone) {
      try {
        await uninstallPackage(name, options);
      } catch (thrown) {
        if (before !== undefined && outcome === "changed") writeWhole(place.file, before);
        throw thrown;
      }
    }
    if (outcome !== "by hand") records.remove(pluginPlacedAt(use, place));
    for (const { placed, record } of await triedAgain(beside, options)) records.write(placed, record);
    const left = name === undefined ? undefined : { stays: stays ?? "the configuration still names it" };
    return { use, outcome, package: isGone ? "removed" : left };
  });
}

/** Why the package of a plugin is not removed: the end of a sentence. */
export async function whyItStays(
  use: string,
  { place, records }: Pick<AddOptions, "place" | "records">,
): Promise<string | undefined> {
  const name = packageNameOf(use);
  if (name === undefined) return undefined;
  const others = (await namedIn(place)).filter((other) => other !== use && packageNameOf(other) === name);
  if (others.length > 0) return `${others.join(", ")} is of it, too`;
  if (dependencyOf(place.folder, name) === undefined) return "no package.json there asks for it";
  if (records.read(pluginPlacedAt(use, place))?.pinned?.ours === true) return undefined;
  return "nothing says that haft plugins add brought it, so others may use it";
}
