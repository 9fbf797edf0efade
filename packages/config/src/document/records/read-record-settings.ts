import { withoutUndefined } from "@haft/utils";
import { findOperatorConfiguration } from "../find-configuration.ts";
import { toStoreSetting } from "./nats-settings.ts";
import type { RecordSettings } from "./record-settings.ts";

/**
 * Ignores files of a workspace.
 *
 * @param named replaces `HAFT_CONFIG` and the file of the user
 * @throws HaftError `CONFIG_INVALID`, `CONFIG_UNSAFE`, `PATH_RELATIVE`
 */
export async function readRecordSettings(named: string | undefined): Promise<RecordSettings> {
  const config = (await findOperatorConfiguration(named))?.config ?? {};
  return withoutUndefined<RecordSettings>({ ...config, store: toStoreSetting(config) });
}
