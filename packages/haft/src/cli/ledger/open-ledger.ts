import { openSqliteStore, type StateStore } from "@haft/store";
import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { defaultStateFolder } from "../../boundary/state-folder.ts";
import { stderrLogger } from "../stderr-logger.ts";

/** The state of this user's hosts, or of those with another folder. */
export function stateFolderOf(state: string | undefined): string {
  return state === undefined ? defaultStateFolder() : resolve(state);
}

/** The file that a host with this folder keeps its ledger in. */
export function stateFileOf(folder: string): string {
  return join(folder, "haft.db");
}

/**
 * Does something with what hosts keep; `undefined` where they have kept nothing yet: to look does not make a file.
 *
 * @throws HaftError `LEDGER_UNAVAILABLE` and what else the store says
 */
export async function withLedger<T>(
  state: string | undefined,
  use: (store: StateStore, folder: string) => Promise<T>,
): Promise<T | undefined> {
  const folder = stateFolderOf(state);
  const path = stateFileOf(folder);
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  const store = await openSqliteStore({ path, logger: stderrLogger });
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
