import type { LedgerStore } from "@haft/core/kernel";
import { statSync } from "node:fs";
import { readStateValue } from "../location/state-value.ts";
import {
  hasStore,
  type RepairableStore,
  openStoreAt,
  type StoreLocationValues,
  readStoreLocation,
} from "../location/store-location.ts";

/** `undefined` without a store. */
export async function withLedger<T>(
  values: StoreLocationValues,
  use: (store: RepairableStore, folder: string) => Promise<T>,
): Promise<T | undefined> {
  const location = await readStoreLocation(values);
  if (!hasStore(location)) return undefined;
  const store = await openStoreAt(location);
  try {
    return await use(store, location.folder);
  } finally {
    await store.close();
  }
}

export function describeEmptyLedger({ state }: StoreLocationValues): string {
  const folder = readStateValue(state);
  const isThere = statSync(folder, { throwIfNoEntry: false }) !== undefined;
  return `Nothing is recorded in ${folder}${isThere ? "" : ", which does not exist,"} yet: hosts and the commands haft run, haft tools call, haft chat and haft serve store their calls there.`;
}

export async function withNewLedger<T>(
  values: StoreLocationValues,
  use: (ledger: LedgerStore) => Promise<T>,
): Promise<T> {
  const store = await openStoreAt(await readStoreLocation(values));
  try {
    return await use(store.ledger);
  } finally {
    await store.close();
  }
}
