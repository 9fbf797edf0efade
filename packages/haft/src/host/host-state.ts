import { HaftError, type Logger, messageOf } from "@haft/core";
import { lazy } from "@haft/core/internal";
import type { ApprovalStore, LedgerStore } from "@haft/core/kernel";
import type { NoticeStore, ProcessStore, StateStore } from "@haft/store";
import { existsSync } from "node:fs";
import { createMemoryNotices } from "../approvals/notify/notices.ts";
import type { NatsSettings } from "../config/records/nats-settings.ts";
import type { RecordSettings } from "../config/records/record-settings.ts";
import { lazyApprovals, lazyLedger } from "./lazy-stores.ts";
import { openFolderStore, openNatsStore, stateFile, type StoreSettings } from "./open-store.ts";

/** What a host keeps beyond its process. Nothing of it is loaded or made before something is kept. */
export interface HostState {
  /** Absent where a host keeps nothing. */
  ledger: LedgerStore | undefined;
  approvals: ApprovalStore | undefined;
  processes: () => Promise<ProcessStore | undefined>;
  notices: () => Promise<NoticeStore>;
  close(): Promise<void>;
}

interface Wanted extends StoreSettings {
  /** `undefined`: everything stays in memory. */
  stateDir: string | undefined;
  store: RecordSettings["store"] | LedgerStore | undefined;
  logger: Logger | undefined;
}

export function openHostState({ stateDir, store, logger, ...settings }: Wanted): HostState {
  const own = isLedger(store) ? store : undefined;
  const shared = isShared(store) ? store.nats : undefined;
  const begin =
    shared !== undefined
      ? () => openNatsStore(shared, { ...settings, logger })
      : stateDir !== undefined
        ? () => openFolderStore(stateDir, { ...settings, logger })
        : undefined;
  let opened: Promise<StateStore> | undefined;
  const opener = begin && lazy(() => (opened = begin()));
  const memory = createMemoryNotices();
  return {
    ledger: own ?? (opener && lazyLedger(async () => (await opener()).ledger)),
    approvals:
      opener &&
      lazyApprovals(
        async () => (await opener()).approvals,
        () => shared !== undefined || existsSync(stateFile(stateDir!)),
      ),
    processes: async () => (await opener?.())?.processes,
    async notices() {
      // Where it cannot be opened, people are told all the same.
      return opener ? withFallback(async () => (await opener()).notices, memory, logger) : memory;
    },
    async close() {
      // One that could not be opened has nothing to close.
      await (await opened?.catch(() => undefined))?.close();
    },
  };
}

/** Whether several hosts keep their sessions in one place. */
export function isShared(store: Wanted["store"]): store is { nats: NatsSettings } {
  return typeof store === "object" && "nats" in store;
}

/** Whether a host brings a store of its own. */
export function isLedger(store: unknown): store is LedgerStore {
  return typeof store === "object" && store !== null && "open" in store && typeof store.open === "function";
}

/** People are told of calls that wait, also where nobody can remember that they were. */
function withFallback(
  notices: () => Promise<NoticeStore>,
  memory: NoticeStore,
  logger: Logger | undefined,
): NoticeStore {
  const either = async <T>(work: (store: NoticeStore) => T | Promise<T>): Promise<T> => {
    try {
      return await work(await notices());
    } catch (thrown) {
      logger?.debug(`Notices are remembered in memory alone: ${messageOf(thrown)}`);
      if (!HaftError.is(thrown)) throw thrown;
      return work(memory);
    }
  };
  return {
    begin: (approvalId, target, at) => either((store) => store.begin(approvalId, target, at)),
    end: (approvalId, target, problem) => either((store) => store.end(approvalId, target, problem)),
    of: (approvalIds) => either((store) => store.of(approvalIds)),
  };
}
