import type { PluginReference } from "@haft/config/internal/document";
import { withoutUndefined } from "@haft/utils";
import { pluginLoaderError } from "../errors.ts";
import { pinPlugin, findPinProblem } from "../load/pinned-plugin.ts";
import type { PluginRecord, PluginRecords } from "../load/plugin-record.ts";
import type { InstallOptions } from "../packages/install-package.ts";
import { readInstalledVersion } from "../packages/read-dependency.ts";
import { tryPlugin } from "../trial/try-plugin.ts";
import { listConfiguredPlugins } from "./configured-plugins.ts";
import type { InstallTarget } from "./install-target.ts";

interface Beside extends Pick<InstallOptions, "withProgress"> {
  target: InstallTarget;
  records: PluginRecords;
}

interface Known {
  placed: PluginReference;
  record: PluginRecord;
}

export async function listPinnedSiblings(use: string, { target, records }: Beside): Promise<Known[]> {
  const { folder: from, file: source } = target;
  return (await listConfiguredPlugins(target)).flatMap((other) => {
    const placed = { use: other, from, source };
    const record = other === use ? undefined : records.read(placed);
    return record?.pinned === undefined || findPinProblem(record) !== undefined ? [] : [{ placed, record }];
  });
}

/**
 * Tries sibling plugins with changed files again, because package managers share dependencies.
 *
 * @returns their new records; nothing is written
 */
export async function retryChangedSiblings(
  beside: readonly Known[],
  { withProgress }: Beside,
): Promise<Known[]> {
  const touched = beside.filter(({ record }) => findPinProblem(record) !== undefined);
  if (touched.length === 0) return [];
  const again: Known[] = [];
  for (const { placed, record: before } of touched) {
    const tried = await withProgress(`trying ${placed.use} again`, () => tryPlugin(placed, { before }));
    again.push({ placed, record: await pinnedAgain(tried, before) });
  }
  return again;
}

async function pinnedAgain(tried: PluginRecord, { pinned, packages }: PluginRecord): Promise<PluginRecord> {
  if (pinned === undefined) return tried;
  if (tried.problem === undefined) return pinPlugin(tried, pinned);
  return withoutUndefined<PluginRecord>({ ...tried, pinned, packages });
}

/** @throws HaftError `PACKAGE_INSTALL_FAILED` if a plugin no longer works */
export function requireWorkingSiblings(again: readonly Known[], installed: string): void {
  for (const { placed, record } of again) {
    const { use, from } = placed;
    const version = readInstalledVersion(from, use);
    const why =
      record.problem?.message ??
      (version === record.pinned?.version ? undefined : `version ${version} of it would be installed.`);
    if (why === undefined) continue;
    throw pluginLoaderError(
      "PACKAGE_INSTALL_FAILED",
      `${installed} does not go with ${use}, which is pinned: ${why} Nothing was changed.`,
      { fix: `Add another version of ${installed}, or remove ${use} first.` },
    );
  }
}
