import { existsSync } from "node:fs";
import { uninstallPackage } from "../packages/install-package.ts";
import { readStoredContent, writePackageFile } from "../packages/install-snapshot.ts";
import { parsePackageName } from "../packages/package-spec.ts";
import { readDependency } from "../packages/read-dependency.ts";
import { type AddOptions, toPluginReference } from "./add-plugin.ts";
import { listConfiguredPlugins, type EditOutcome, removeConfiguredPlugin } from "./configured-plugins.ts";
import { withEditLock } from "./edit-lock.ts";
import { listPinnedSiblings, retryChangedSiblings } from "./sibling-plugins.ts";

/** Describes the result of {@link removePlugin}. */
export interface RemovedPlugin {
  /** Names the plugin in the configuration. */
  use: string;
  /** States whether the configuration was changed. */
  outcome: EditOutcome;
  /** States whether its package was removed, or why it stays, as the end of a sentence; `undefined` for a plugin without a package. */
  package: "removed" | { stays: string } | undefined;
}

/**
 * Removes a plugin from a configuration, and its package if unused elsewhere. If that fails, nothing is changed.
 *
 * @throws HaftError `PACKAGE_…`, `CONFIG_INVALID`, `FILE_BUSY`
 * @example
 * ```ts
 * import { type AddOptions, removePlugin } from "@haft/plugin-loader/internal/check";
 * declare const options: AddOptions;
 * const { outcome } = await removePlugin("haft-plugin-weather", options);
 * ```
 */
export async function removePlugin(use: string, options: AddOptions): Promise<RemovedPlugin> {
  const { target, records } = options;
  return withEditLock(options, async () => {
    const before = existsSync(target.file) ? readStoredContent(target.file) : undefined;
    const outcome = await removeConfiguredPlugin(target, use);
    const stays = await explainRetention(use, options);
    const name = parsePackageName(use);
    const beside = await listPinnedSiblings(use, options);
    const isUnused = name !== undefined && stays === undefined && outcome !== "by hand";
    if (isUnused) {
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
    return { use, outcome, package: isUnused ? "removed" : left };
  });
}

/**
 * Returns why the package of a plugin would stay after a removal, as the end of a sentence. `undefined`: it would be removed, or does not
 * exist.
 *
 * @example
 * ```ts
 * import { type AddOptions, explainRetention } from "@haft/plugin-loader/internal/check";
 * declare const options: AddOptions;
 * const reason = await explainRetention("haft-plugin-weather", options);
 * if (reason !== undefined) console.log(`The package stays: ${reason}.`);
 * ```
 */
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
  return "haft plugins add did not install it, so other programs may use it";
}
