import { configFolder } from "@haft/config/internal/boundary";
import type { NatsSettings, KeepSettings } from "@haft/config/internal/document";
import { openFolderStore, openConfiguredNatsStore, stateFile } from "@haft/host/internal/store";
import type { StateStore } from "@haft/store";
import { readdirSync, statSync } from "node:fs";
import { stderrLogger } from "../stderr-logger.ts";
import { UsageError } from "../usage.ts";
import { readStateValue } from "./state-value.ts";

export interface StoreLocationValues {
  state?: string | undefined;
  config?: string | undefined;
  "no-config"?: boolean | undefined;
}

/** A state folder, or the configured server. */
export interface StoreLocation {
  folder: string;
  nats?: NatsSettings;
  keep?: KeepSettings;
}

export type RepairableStore = StateStore & { repair?: () => Promise<string | undefined> };

/** @throws HaftError `STATE_FOLDER_FAILED`, `CONFIG_INVALID`; UsageError */
export async function readStoreLocation({
  state,
  config,
  "no-config": noConfig = false,
}: StoreLocationValues): Promise<StoreLocation> {
  if (config !== undefined && noConfig)
    throw new UsageError("--config and --no-config exclude each other; omit one.");
  const folder = readStateValue(state);
  if (noConfig || !mayHaveConfiguration(config)) return { folder };
  const { readRecordSettings } = await import("@haft/config/internal/document");
  const { store, keep } = await readRecordSettings(config);
  return {
    folder,
    ...(typeof store === "object" && { nats: store.nats }),
    ...(keep && { keep }),
  };
}

/** Reading must not create a store. */
export function hasStore({ folder, nats }: StoreLocation): boolean {
  return nats !== undefined || statSync(stateFile(folder), { throwIfNoEntry: false }) !== undefined;
}

export async function openStoreAt({ folder, nats, keep }: StoreLocation): Promise<RepairableStore> {
  const settings = { keep, logger: stderrLogger };
  return nats === undefined ? openFolderStore(folder, settings) : openConfiguredNatsStore(nats, settings);
}

function mayHaveConfiguration(config: string | undefined): boolean {
  if (config !== undefined || (process.env["HAFT_CONFIG"] ?? "") !== "") return true;
  const folder = configFolder();
  try {
    return readdirSync(folder).some((name) => name.startsWith("haft.config."));
  } catch {
    return false;
  }
}
