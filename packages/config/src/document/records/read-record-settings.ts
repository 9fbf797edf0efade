import { withoutUndefined } from "@haft/utils";
import { findOperatorConfiguration } from "../find-configuration.ts";
import { toStoreSetting } from "./nats-settings.ts";
import type { RecordSettings } from "./record-settings.ts";

/**
 * What the operator's configuration says of records, without anything of a workspace.
 *
 * @param named the file, instead of `HAFT_CONFIG` and the user's own
 * @throws HaftError `CONFIG_INVALID`, `CONFIG_UNSAFE`, `PATH_RELATIVE`
 */
export async function readRecordSettings(named: string | undefined): Promise<RecordSettings> {
  const config = (await findOperatorConfiguration(named))?.config ?? {};
  return withoutUndefined<RecordSettings>({ ...config, store: toStoreSetting(config) });
}
