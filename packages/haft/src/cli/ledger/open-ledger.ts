import { openSqliteStore, type SqliteStore } from "@haft/store";
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { defaultStateFolder } from "../../boundary/state-folder.ts";
import { stateFile } from "../../host/host-state.ts";

/** The state of this user's hosts, or of those with another folder. */
export function stateFolderOf(state: string | undefined): string {
  return state === undefined ? defaultStateFolder() : resolve(state);
}

/**
 * Does something with what hosts keep; `undefined` where they have kept nothing yet: to look does not make a file.
 *
 * @throws HaftError `LEDGER_UNAVAILABLE` and what else the store says
 */
export async function withLedger<T>(
  state: string | undefined,
  use: (store: SqliteStore, folder: string) => Promise<T>,
): Promise<T | undefined> {
  const folder = stateFolderOf(state);
  const path = stateFile(folder);
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  const store = openSqliteStore({ path });
  try {
    return await use(store, folder);
  } finally {
    await store.close();
  }
}

/** For whoever looks where nothing was kept yet. */
export function nothingKept(state: string | undefined): string {
  return `Nothing is recorded in ${stateFolderOf(state)} yet: hosts and the commands haft run and haft call keep their calls there.`;
}
