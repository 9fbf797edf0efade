import type { ProcessInfo } from "@haft/core";
import type { LedgerStore } from "@haft/core/internal";
import type { ApprovalStore } from "@haft/core/kernel";

/**
 * Stores the state of a host's sessions. {@link openSqliteStore} opens a store.
 *
 * @example
 * ```ts
 * import type { StateStore } from "@haft/store";
 * declare const store: StateStore;
 * for (const { code, message, fix } of await store.check()) console.error(code, message, fix);
 * await store.close();
 * ```
 */
export interface StateStore {
  /** Stores runs and their calls. */
  readonly ledger: LedgerStore;
  /** Stores approval requests, answers and grants. */
  readonly approvals: ApprovalStore;
  /** Stores commands of runs. */
  readonly processes: ProcessStore;
  /** Records notifications about waiting calls. */
  readonly notices: NoticeStore;
  /** Checks all stored data without changes, which may take seconds. An empty list reports no damage. */
  check(): Promise<readonly StoreProblem[]>;
  /** Closes the store. Later uses throw `STORE_CLOSED`, or `LEDGER_UNAVAILABLE` with that cause. */
  close(): Promise<void>;
}

/**
 * Describes a problem of stored data.
 *
 * @example
 * ```ts
 * import type { StoreProblem } from "@haft/store";
 * const report = ({ code, message, fix }: StoreProblem) => console.error(`${code}: ${message}\n${fix}`);
 * ```
 */
export interface StoreProblem {
  /**
   * Names the kind. `STORE_CORRUPT`: data is unreadable. `STORE_INCOMPLETE`: data is missing. `NATS_UNFIT`: that server may lose data.
   * Other codes explain an unfinished check.
   */
  readonly code: string;
  /** Describes the problem in a sentence. */
  readonly message: string;
  /** Describes the solution in a sentence. */
  readonly fix: string;
}

/** Describes a notification about a request. Times are epoch milliseconds. */
export interface NoticeRecord {
  /** Identifies the request. */
  readonly approvalId: string;
  /** Names the target, as in messages. */
  readonly target: string;
  /** Contains the start time. */
  readonly at: number;
  /** Contains the state. After `telling`, a killed host leaves the result unknown. */
  readonly state: "telling" | "told" | "failed";
  /** Ends a sentence: the failure. */
  readonly problem?: string;
}

/**
 * Records notifications, so that no process notifies a target twice.
 *
 * @example
 * ```ts
 * import type { NoticeStore } from "@haft/store";
 * async function notify(notices: NoticeStore, approvalId: string, send: () => Promise<void>) {
 *   if (!(await notices.begin(approvalId, "chat", Date.now()))) return; // another process does it
 *   await send();
 *   await notices.end(approvalId, "chat");
 * }
 * ```
 */
export interface NoticeStore {
  /** Starts a notification. Returns false if any process started it before. */
  begin(approvalId: string, target: string, at: number): boolean | Promise<boolean>;
  /** Records success, or with `problem` failure. */
  end(approvalId: string, target: string, problem?: string): void | Promise<void>;
  /** Returns the notifications about these requests. */
  list(approvalIds: readonly string[]): readonly NoticeRecord[] | Promise<readonly NoticeRecord[]>;
}

/**
 * Describes a stored command of a run, with known secrets masked.
 *
 * @example
 * ```ts
 * import type { ProcessRecord } from "@haft/store";
 * const describe = ({ info, where = "host", fate }: ProcessRecord) => `${info.command} (${where}) ${fate}`;
 * ```
 */
export interface ProcessRecord {
  /** Contains the last known state. */
  readonly info: ProcessInfo;
  /** Identifies the process, if the command may outlive its host. Absent if it cannot, or if unknown. */
  readonly process?: {
    readonly pid: number;
    readonly started: number;
    readonly space: string;
  };
  /** Names the execution target: `host`, `view` (contained), `sandbox` or `node`. */
  readonly where?: string;
  /** Ends a sentence: the command's fate when its host ended, as far as the kind of its start determines it. */
  readonly fate: string;
}

/**
 * Stores the latest commands of each run, as long as the run exists.
 *
 * @example
 * ```ts
 * import type { ProcessRecord, ProcessStore } from "@haft/store";
 * const runs = new Map<string, Map<string, ProcessRecord>>();
 * const store: ProcessStore = {
 *   list: (runId) => [...(runs.get(runId)?.values() ?? [])],
 *   put: (runId, record) => void runs.set(runId, (runs.get(runId) ?? new Map()).set(record.info.id, record)),
 *   remove: (runId, id) => void runs.get(runId)?.delete(id),
 * };
 * ```
 */
export interface ProcessStore {
  /** Returns the commands of a run, the oldest first. */
  list(runId: string): readonly ProcessRecord[] | Promise<readonly ProcessRecord[]>;
  /** Stores a command, over the record with the same id. */
  put(runId: string, record: ProcessRecord): void | Promise<void>;
  /** Removes a command, if stored. */
  remove(runId: string, id: string): void | Promise<void>;
}
