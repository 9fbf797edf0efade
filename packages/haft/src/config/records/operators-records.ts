import { withoutUndefined } from "@haft/core";
import { findTrusted } from "../find-configuration.ts";
import { storeOf } from "./nats-settings.ts";
import type { RecordSettings } from "./record-settings.ts";

/**
 * What the operator's configuration says of records, without anything of a workspace.
 *
 * @param named the file, instead of `HAFT_CONFIG` and the user's own
 * @throws HaftError `CONFIG_INVALID`, `CONFIG_UNSAFE`, `PATH_RELATIVE`
 */
export async function operatorsRecords(named: string | undefined): Promise<RecordSettings> {
  const config = (await findTrusted(named))?.config ?? {};
  return withoutUndefined<RecordSettings>({ ...config, store: storeOf(config) });
}
