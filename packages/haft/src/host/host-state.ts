import { HaftError, type Logger, messageOf } from "@haft/core";
import type { ApprovalStore, LedgerStore } from "@haft/core/kernel";
import type { NoticeStore, ProcessStore, StateStore } from "@haft/store";
import type { NatsStore, NatsStoreOptions } from "@haft/store/nats";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createMemoryNotices } from "../approvals/notify/notices.ts";
import { stateApprovals } from "../approvals/state-approvals.ts";
import { approvalsFolder } from "../boundary/state-folder.ts";
import { bytesOf, type KeepSettings, type RecordSettings } from "../config/records/record-settings.ts";
import { lazyLedger } from "./lazy-ledger.ts";

/** What a host keeps beyond its process. Nothing of it is loaded or made before something is kept. */
export interface HostState {
  /** Absent where a host keeps nothing. */
  ledger: LedgerStore | undefined;
  /** Likewise. */
  approvals: ApprovalStore | undefined;
  processes: () => Promise<ProcessStore | undefined>;
  notices: () => Promise<NoticeStore>;
  close(): Promise<void>;
}

interface Wanted {
  durability: RecordSettings["durability"] | undefined;
  /** `undefined`: everything stays in memory. */
  stateDir: string | undefined;
  keep: KeepSettings | undefined;
  store: RecordSettings["store"] | LedgerStore | undefined;
  logger: Logger | undefined;
}

export function openHostState({ stateDir, durability, keep, store, logger }: Wanted): HostState {
  let opened: Promise<StateStore> | undefined;
  const inFolder = async (folder: string): Promise<StateStore> => {
    const { openSqliteStore } = await import("@haft/store");
    const bytes = keep?.bytes === undefined ? undefined : bytesOf(keep.bytes);
    return openSqliteStore({
      path: stateFile(folder),
      ...(durability && { durability }),
      ...(logger && { logger }),
      keep: { ...(keep?.days !== undefined && { days: keep.days }), ...(bytes !== undefined && { bytes }) },
    });
  };
  const open = (folder: string) =>
    (opened ??= inFolder(folder).catch((thrown: unknown) => {
      // The next one tries again.
      opened = undefined;
      throw thrown;
    }));
  const memory = createMemoryNotices();
  const shared = isLedger(store) || store === undefined || store === "sqlite" ? undefined : store.nats;
  let server: Promise<NatsStore> | undefined;
  const onServer = (options: object) =>
    (server ??= openNats(options).catch((thrown: unknown) => {
      server = undefined;
      throw thrown;
    }));
  const ledgerOf = () => {
    if (isLedger(store)) return store;
    if (shared !== undefined) return lazyLedger(async () => (await onServer(shared)).ledger);
    return stateDir === undefined ? undefined : lazyLedger(async () => (await open(stateDir)).ledger);
  };
  const approvalsOf = () => {
    if (shared !== undefined)
      return stateApprovals(async () => (await onServer(shared)).approvals, undefined, logger);
    if (stateDir === undefined) return undefined;
    const older = approvalsFolder(stateDir);
    const isThere = () => existsSync(stateFile(stateDir)) || existsSync(older);
    return stateApprovals(async () => (await open(stateDir)).approvals, older, logger, isThere);
  };
  return {
    ledger: ledgerOf(),
    approvals: approvalsOf(),
    processes: async () => (stateDir === undefined ? undefined : (await open(stateDir)).processes),
    async notices() {
      if (stateDir === undefined) return memory;
      const { notices } = await open(stateDir);
      return withFallback(notices, memory, logger);
    },
    async close() {
      // One that could not be opened has nothing to close.
      await (await opened?.catch(() => undefined))?.close();
      await (await server?.catch(() => undefined))?.close();
    },
  };
}

/** Its libraries are only there where somebody wants it. */
async function openNats(options: object): Promise<NatsStore> {
  const { openNatsStore } = await import("@haft/store/nats");
  return openNatsStore(options as NatsStoreOptions);
}

/** The file in a state folder that has ledger, approvals and what belongs to them. */
export function stateFile(stateDir: string): string {
  return join(stateDir, "haft.db");
}

/** Whether a host brings a store of its own. */
export function isLedger(store: unknown): store is LedgerStore {
  return typeof store === "object" && store !== null && "open" in store && typeof store.open === "function";
}

/** People are told of calls that wait, also where nobody can remember that they were. */
function withFallback(notices: NoticeStore, memory: NoticeStore, logger: Logger | undefined): NoticeStore {
  const either = async <T>(work: (store: NoticeStore) => T | Promise<T>): Promise<T> => {
    try {
      return await work(notices);
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
