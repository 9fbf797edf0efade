import { existsSync } from "node:fs";
import { uninstallPackage } from "../packages/install-package.ts";
import { readStoredContent, writePackageFile } from "../packages/install-snapshot.ts";
import { parsePackageName } from "../packages/package-spec.ts";
import { readDependency } from "../packages/read-dependency.ts";
import { type AddOptions, toPluginReference } from "./add-plugin.ts";
import { listConfiguredPlugins, type EditOutcome, removeConfiguredPlugin } from "./configured-plugins.ts";
import { withEditLock } from "./edit-lock.ts";
import { listPinnedSiblings, retryChangedSiblings } from "./sibling-plugins.ts";

export interface RemovedPlugin {
  use: string;
  outcome: EditOutcome;
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
  const { target, records } = options;
  return withEditLock(options, async () => {
    const before = existsSync(target.file) ? readStoredContent(target.file) : undefined;
    const outcome = await removeConfiguredPlugin(target, use);
    const stays = await explainRetention(use, options);
    const name = parsePackageName(use);
    const beside = await listPinnedSiblings(use, options);
    const isGone = name !== undefined && stays === undefined && outcome !== "by hand";
    if (isGone) {
      try {
        await uninstallPackage(name, options);
      } catch (thrown) {
        if (before !== undefined && outcome === "changed") writePackageFile(target.file, before);
        throw thrown;
      }
    }
    if (outcome !== "by hand") records.remove(toPluginReference(use, target));
    for (const { placed, record } of await retryChangedSiblings(beside, options))
      records.write(placed, record);
    const left = name === undefined ? undefined : { stays: stays ?? "the configuration still names it" };
    return { use, outcome, package: isGone ? "removed" : left };
  });
}

/** Why the package of a plugin is not removed: the end of a sentence. */
export async function explainRetention(
  use: string,
  { target, records }: Pick<AddOptions, "target" | "records">,
): Promise<string | undefined> {
  const name = parsePackageName(use);
  if (name === undefined) return undefined;
  const others = (await listConfiguredPlugins(target)).filter(
    (other) => other !== use && parsePackageName(other) === name,
  );
  if (others.length > 0) return `${others.join(", ")} is of it, too`;
  if (readDependency(target.folder, name) === undefined) return "no package.json there asks for it";
  if (records.read(toPluginReference(use, target))?.pinned?.ours === true) return undefined;
  return "nothing says that haft plugins add brought it, so others may use it";
}
