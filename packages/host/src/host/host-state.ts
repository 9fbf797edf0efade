import type { NatsSettings, RecordSettings } from "@haft/config/internal/document";
import { HaftError, type Logger, getErrorMessage } from "@haft/core";
import type { ApprovalStore, LedgerStore } from "@haft/core/kernel";
import type { NoticeStore, ProcessStore, StateStore, NoticeRecord } from "@haft/store";
import { systemReason } from "@haft/system";
import { lazy } from "@haft/utils";
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { openFolderStore, openConfiguredNatsStore, stateFile, type StoreSettings } from "./open-store.ts";

/** Manages stored state. The first write loads and creates it. */
export interface HostState {
  ledger: LedgerStore | undefined;
  approvals: ApprovalStore | undefined;
  processes: () => Promise<ProcessStore | undefined>;
  notices: () => Promise<NoticeStore>;
  close(): Promise<void>;
}

interface Wanted extends StoreSettings {
  stateDir: string | undefined;
  store: RecordSettings["store"] | LedgerStore | undefined;
  logger: Logger | undefined;
}

export function openHostState({ stateDir, store, logger, ...settings }: Wanted): HostState {
  const givenLedger = isLedger(store) ? store : undefined;
  const shared = isShared(store) ? store.nats : undefined;
  const begin =
    shared !== undefined
      ? () => openConfiguredNatsStore(shared, { ...settings, logger })
      : stateDir !== undefined
        ? () => openFolderStore(stateDir, { ...settings, logger })
        : undefined;
  let opened: Promise<StateStore> | undefined;
  const opener = begin && lazy(() => (opened = begin()));
  const memory = createMemoryNotices();
  return {
    ledger: givenLedger ?? (opener && lazyLedger(async () => (await opener()).ledger)),
    approvals:
      opener &&
      lazyApprovals(
        async () => (await opener()).approvals,
        () => shared !== undefined || existsSync(stateFile(stateDir!)),
      ),
    processes: async () => (await opener?.())?.processes,
    async notices() {
      // Without the store, notices are still sent.
      return opener ? withFallback(async () => (await opener()).notices, memory, logger) : memory;
    },
    async close() {
      await (await opened?.catch(() => undefined))?.close();
    },
  };
}

/** Returns why a state folder, or the first one that exists above it, cannot be written. It creates nothing. */
export function findStateFolderProblem(stateDir: string): string | undefined {
  for (let folder = stateDir; ; folder = dirname(folder)) {
    try {
      if (!statSync(folder).isDirectory()) return `${folder} is not a folder`;
      accessSync(folder, constants.W_OK | constants.X_OK);
      return undefined;
    } catch (thrown) {
      const { code } = thrown as NodeJS.ErrnoException;
      if (code !== "ENOENT" || folder === dirname(folder)) return `${folder}: ${systemReason(thrown)}`;
    }
  }
}

export function isShared(store: Wanted["store"]): store is { nats: NatsSettings } {
  return typeof store === "object" && "nats" in store;
}

export function isLedger(store: unknown): store is LedgerStore {
  return typeof store === "object" && store !== null && "open" in store && typeof store.open === "function";
}

function withFallback(
  notices: () => Promise<NoticeStore>,
  memory: NoticeStore,
  logger: Logger | undefined,
): NoticeStore {
  const either = async <T>(work: (store: NoticeStore) => T | Promise<T>): Promise<T> => {
    try {
      return await work(await notices());
    } catch (thrown) {
      logger?.debug(`Notices are remembered in memory alone: ${getErrorMessage(thrown)}`);
      if (!HaftError.is(thrown)) throw thrown;
      return work(memory);
    }
  };
  return {
    begin: (approvalId, target, at) => either((store) => store.begin(approvalId, target, at)),
    end: (approvalId, target, problem) => either((store) => store.end(approvalId, target, problem)),
    list: (approvalIds) => either((store) => store.list(approvalIds)),
  };
}

const MAX_NOTICES = 10_000;

export function createMemoryNotices(): NoticeStore {
  const records = new Map<string, NoticeRecord>();
  const keyOf = (approvalId: string, target: string) => JSON.stringify([approvalId, target]);
  return {
    begin(approvalId, target, at) {
      const key = keyOf(approvalId, target);
      if (records.has(key)) return false;
      records.set(key, { approvalId, target, at, state: "telling" });
      if (records.size > MAX_NOTICES) records.delete(records.keys().next().value!);
      return true;
    },
    end(approvalId, target, problem) {
      const record = records.get(keyOf(approvalId, target));
      if (record === undefined) return;
      const state = problem === undefined ? "told" : "failed";
      records.set(keyOf(approvalId, target), { ...record, state, ...(problem !== undefined && { problem }) });
    },
    list: (approvalIds) => [...records.values()].filter((one) => approvalIds.includes(one.approvalId)),
  };
}

type Names<T> = readonly (keyof T & string)[];

/** Opens the store with the first call; a method that the store lacks resolves to `undefined`. */
function forward<T, K extends keyof T & string>(
  open: () => Promise<T | undefined>,
  names: readonly K[],
): Pick<T, K> {
  const methods = names.map((name) => [
    name,
    async (...args: unknown[]) => {
      const store = await open();
      return (store?.[name] as ((...args: unknown[]) => unknown) | undefined)?.apply(store, args);
    },
  ]);
  return Object.fromEntries(methods) as Pick<T, K>;
}

function lazyLedger(open: () => Promise<LedgerStore>): LedgerStore {
  const names = ["open", "runs", "calls", "run", "call", "forget"] satisfies Names<LedgerStore>;
  return { ...forward(open, names), close: async () => {} };
}

const READS = ["takeAnswer", "peekAnswer", "find"] satisfies Names<ApprovalStore>;
const WRITES = [
  "addGrant",
  "useGrant",
  "revoke",
  "addRequest",
  "removeRequest",
  "answer",
  "waitForAnswer",
  "awaitDelivery",
  "sweep",
] satisfies Names<ApprovalStore>;

/**
 * Opens approvals with the first call. After a failure, each method rejects and the next call tries again.
 *
 * @param exists whether the store exists: reading does not create it
 */
function lazyApprovals(open: () => Promise<ApprovalStore>, exists: () => boolean): ApprovalStore {
  let opened: ApprovalStore | undefined;
  const get = async () => (opened ??= await open());
  const openIfExists = async () => (opened !== undefined || exists() ? get() : undefined);
  return {
    ...forward(openIfExists, READS),
    ...forward(get, WRITES),
    grants: async (scope) => (await openIfExists())?.grants(scope) ?? [],
    allGrants: async () => (await openIfExists())?.allGrants() ?? [],
    requests: async () => (await openIfExists())?.requests() ?? [],
    watchRequests(onChange) {
      let stop: (() => void) | undefined;
      let isStopped = false;
      const start = async () => {
        const store = await get();
        if (!isStopped) stop = store.watchRequests?.(onChange);
      };
      start().catch(() => {});
      return () => {
        isStopped = true;
        stop?.();
      };
    },
    problem: () => opened?.problem?.(),
    close: async () => opened?.close?.(),
  };
}
