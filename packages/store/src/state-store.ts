import type { ProcessInfo } from "@haft/core";
import type { LedgerStore } from "@haft/core/internal";
import type { ApprovalStore } from "@haft/core/kernel";

/**
 * Stores everything about a host's sessions. {@link openSqliteStore} opens a store.
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
  /** Stores runs of sessions, and their calls. */
  readonly ledger: LedgerStore;
  /** Stores requests for approval, answers and grants. */
  readonly approvals: ApprovalStore;
  /** Stores commands of runs, with their state. */
  readonly processes: ProcessStore;
  /** Records which notification targets were notified of waiting calls. */
  readonly notices: NoticeStore;
  /** Checks all stored data, which may take seconds. An empty list means that no damage was found. Nothing is changed. */
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
   * Names the kind. `STORE_CORRUPT`: data exists and cannot be read. `STORE_INCOMPLETE`: data is missing. `NATS_UNFIT`: data may get lost
   * on that server. Other codes explain why the check could not finish.
   */
  readonly code: string;
  /** Describes the problem in a sentence. */
  readonly message: string;
  /** Describes the solution in a sentence. */
  readonly fix: string;
}

/** Describes a notification about a request. Times are milliseconds since the epoch. */
export interface NoticeRecord {
  /** Identifies the request. */
  readonly approvalId: string;
  /** Names the target, as in messages. */
  readonly target: string;
  /** Contains the start time. */
  readonly at: number;
  /** Contains the state. `telling` also remains if the host was killed: the result is then unknown. */
  readonly state: "telling" | "told" | "failed";
  /** Explains a failure, as the end of a sentence. */
  readonly problem?: string;
}

/**
 * Records which target was notified of which request, so that no target is notified twice, by any process.
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
  /** Starts a notification. Returns false if any process has started it before. */
  begin(approvalId: string, target: string, at: number): boolean | Promise<boolean>;
  /** Records the end of a notification: success, or failure if `problem` is given. */
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
  /** Identifies the process on the machine, if the command may outlive its host. Absent if it cannot, or if it is unknown. */
  readonly process?: {
    readonly pid: number;
    /** Contains the start time in a unit of the system. */
    readonly started: number;
    /** Names the scope in which the process id is unique: one start of a machine or container. */
    readonly space: string;
  };
  /** Names the execution target: `host`, `view` (contained on the host), `sandbox` or `node`. */
  readonly where?: string;
  /** Explains what happened to the command when its host ended, as far as the kind of its start determines it: the end of a sentence. */
  readonly fate: string;
}

/**
 * Stores the latest commands of each run, for as long as the run exists.
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
  /** Stores a command. It replaces the record with the same id. */
  put(runId: string, record: ProcessRecord): void | Promise<void>;
  /** Removes a command, if it is stored. */
  remove(runId: string, id: string): void | Promise<void>;
}
