import type { LedgerStore } from "@haft/core/kernel";
import { openSqliteStore, type SqliteStore } from "@haft/store";
import { statSync } from "node:fs";
import { stateFile } from "../../host/host-state.ts";
import { readStateValue } from "../place/state-value.ts";

/**
 * Does something with what hosts keep; `undefined` where they have kept nothing yet: to look does not make a file.
 *
 * @throws HaftError `STATE_FOLDER_UNUSABLE`, `LEDGER_UNAVAILABLE` and what else the store says
 */
export async function withLedger<T>(
  state: string | undefined,
  use: (store: SqliteStore, folder: string) => Promise<T>,
): Promise<T | undefined> {
  const folder = readStateValue(state);
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
  const folder = readStateValue(state);
  const isThere = statSync(folder, { throwIfNoEntry: false }) !== undefined;
  return `Nothing is recorded in ${folder}${isThere ? "" : ", which is not there,"} yet: hosts and the commands haft run and haft call keep their calls there.`;
}

/** The same to record something, which makes the file where it is not there yet. */
export async function withNewLedger<T>(
  state: string | undefined,
  use: (ledger: LedgerStore) => Promise<T>,
): Promise<T> {
  const store = openSqliteStore({ path: stateFile(readStateValue(state)) });
  try {
    return await use(store.ledger);
  } finally {
    await store.close();
  }
}
