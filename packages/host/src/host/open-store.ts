import type { NatsSettings, KeepSettings, RecordSettings } from "@haft/config";
import { parseBytes } from "@haft/config/internal/document";
import { resolveSecretText } from "@haft/config/internal/settings";
import { type Logger, getErrorMessage, invalidOptions } from "@haft/core";
import type { SqliteStore, StateStore } from "@haft/store";
import { join } from "node:path";

export interface StoreSettings {
  durability?: RecordSettings["durability"] | undefined;
  keep?: KeepSettings | undefined;
  logger?: Pick<Logger, "warn"> | undefined;
}

export async function openFolderStore(
  stateDir: string,
  { durability, keep, logger }: StoreSettings,
): Promise<SqliteStore> {
  const { openSqliteStore } = await import("@haft/store");
  return openSqliteStore({
    path: stateFile(stateDir),
    ...(durability && { durability }),
    ...(logger && { logger }),
    keep: limitsOf(keep),
  });
}

export async function openConfiguredNatsStore(
  { password, token, ...settings }: NatsSettings,
  { keep, logger }: Omit<StoreSettings, "durability">,
): Promise<StateStore> {
  const { openNatsStore: open } = await import("@haft/store/nats");
  const hidden = (name: string, given: NatsSettings["token"]) => {
    try {
      return given === undefined ? {} : { [name]: resolveSecretText(given) };
    } catch (thrown) {
      throw invalidOptions(
        `${name} of the store: ${getErrorMessage(thrown)}.`,
        "Set it where the host is started.",
      );
    }
  };
  return open({
    ...settings,
    ...hidden("password", password),
    ...hidden("token", token),
    keep: limitsOf(keep),
    ...(logger && { logger }),
  });
}

export function stateFile(stateDir: string): string {
  return join(stateDir, "haft.db");
}

function limitsOf(keep: KeepSettings | undefined): { days?: number; bytes?: number } {
  const bytes = keep?.bytes === undefined ? undefined : parseBytes(keep.bytes);
  return { ...(keep?.days !== undefined && { days: keep.days }), ...(bytes !== undefined && { bytes }) };
}
