import { findTrusted } from "../find-configuration.ts";
import type { RecordSettings } from "./record-settings.ts";

/**
 * What the operator's configuration says of records, without anything of a workspace.
 *
 * @param named the file, instead of `HAFT_CONFIG` and the user's own
 * @throws HaftError `CONFIG_INVALID`, `CONFIG_UNSAFE`, `PATH_RELATIVE`
 */
export async function operatorsRecords(named: string | undefined): Promise<RecordSettings> {
  return (await findTrusted(named))?.config ?? {};
}
