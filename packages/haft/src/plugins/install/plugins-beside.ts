import { withoutUndefined } from "@haft/core";
import type { PlacedPlugin } from "../../config/placed-plugins.ts";
import { hostError } from "../../errors.ts";
import type { InstallOptions } from "../packages/install-package.ts";
import { pinPlugin, whyWithheld } from "../packages/pinned-plugin.ts";
import { installedVersion } from "../packages/pinned.ts";
import type { PluginRecord, PluginRecords } from "../plugin-record.ts";
import type { InstallPlace } from "./install-place.ts";
import { namedIn } from "./name-plugin.ts";

interface Beside extends Pick<InstallOptions, "working"> {
  place: InstallPlace;
  records: PluginRecords;
}

interface Known {
  placed: PlacedPlugin;
  record: PluginRecord;
}

export async function pinnedBeside(use: string, { place, records }: Beside): Promise<Known[]> {
  const { folder: from, file: source } = place;
  return (await namedIn(place)).flatMap((other) => {
    const placed = { use: other, from, source };
    const record = other === use ? undefined : records.read(placed);
    return record?.pinned === undefined || whyWithheld(record) !== undefined ? [] : [{ placed, record }];
  });
}

/**
 * Tries those again whose files are others now: package managers share what several packages need, so a change of one can be a
 * change of another.
 *
 * @returns what is known of them now; nothing is written
 */
export async function triedAgain(beside: readonly Known[], { working }: Beside): Promise<Known[]> {
  const touched = beside.filter(({ record }) => whyWithheld(record) !== undefined);
  if (touched.length === 0) return [];
  const { tryPlugin } = await import("../trial/try-plugin.ts");
  const again: Known[] = [];
  for (const { placed, record: before } of touched) {
    const tried = await working(`trying ${placed.use} again`, () => tryPlugin(placed, { before }));
    again.push({ placed, record: await pinnedAgain(tried, before) });
  }
  return again;
}

/** One that is broken keeps the pins that it had. */
async function pinnedAgain(tried: PluginRecord, { pinned, packages }: PluginRecord): Promise<PluginRecord> {
  if (pinned === undefined) return tried;
  if (tried.problem === undefined) return pinPlugin(tried, pinned);
  return withoutUndefined<PluginRecord>({ ...tried, pinned, packages });
}

/** @throws HaftError `PACKAGE_INSTALL_FAILED` where a plugin does not work beside what was installed */
export function requireSound(again: readonly Known[], installed: string): void {
  for (const { placed, record } of again) {
    const { use, from } = placed;
    const version = installedVersion(from, use);
    const why =
      record.problem?.message ??
      (version === record.pinned?.version ? undefined : `version ${version} of it would be installed.`);
    if (why === undefined) continue;
    throw hostError(
      "PACKAGE_INSTALL_FAILED",
      `${installed} does not go with ${use}, which is pinned: ${why} Nothing was changed.`,
      { fix: `Add another version of ${installed}, or remove ${use} first.` },
    );
  }
}
