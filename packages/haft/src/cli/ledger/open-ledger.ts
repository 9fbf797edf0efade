import type { LedgerStore } from "@haft/core/kernel";
import { statSync } from "node:fs";
import { isKept, type KeptStore, openPlace, type PlaceValues, readPlace } from "../place/kept-store.ts";
import { readStateValue } from "../place/state-value.ts";

/**
 * Does something with what hosts keep; `undefined` where they have kept nothing yet: to look does not make a file.
 *
 * @throws HaftError `STATE_FOLDER_FAILED`, `LEDGER_UNAVAILABLE` and what else the store says
 */
export async function withLedger<T>(
  values: PlaceValues,
  use: (store: KeptStore, folder: string) => Promise<T>,
): Promise<T | undefined> {
  const place = await readPlace(values);
  if (!isKept(place)) return undefined;
  const store = await openPlace(place);
  try {
    return await use(store, place.folder);
  } finally {
    await store.close();
  }
}

/** For whoever looks where nothing was kept yet. */
export function nothingKept({ state }: PlaceValues): string {
  const folder = readStateValue(state);
  const isThere = statSync(folder, { throwIfNoEntry: false }) !== undefined;
  return `Nothing is recorded in ${folder}${isThere ? "" : ", which is not there,"} yet: hosts and the commands haft run, haft tools call, haft chat and haft serve keep their calls there.`;
}

/** The same to record something, which makes the file where it is not there yet. */
export async function withNewLedger<T>(
  values: PlaceValues,
  use: (ledger: LedgerStore) => Promise<T>,
): Promise<T> {
  const store = await openPlace(await readPlace(values));
  try {
    return await use(store.ledger);
  } finally {
    await store.close();
  }
}
