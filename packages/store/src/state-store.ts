import type { ProcessInfo } from "@haft/core";
import type { LedgerStore } from "@haft/core/internal";
import type { ApprovalStore } from "@haft/core/kernel";

/**
 * Everything that a host stores about its sessions. {@link openSqliteStore} opens one.
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
  /** Runs of sessions, and their calls. */
  readonly ledger: LedgerStore;
  /** Requests for approval, answers and grants. */
  readonly approvals: ApprovalStore;
  /** Commands of runs, with their state. */
  readonly processes: ProcessStore;
  /** Which notification targets were told about waiting calls. */
  readonly notices: NoticeStore;
  /**
   * Checks everything that is stored, which takes seconds if there is much. An empty list means that no damage was found.
   * Nothing is changed.
   */
  check(): Promise<readonly StoreProblem[]>;
  /** Closes the store. Later uses throw `STORE_CLOSED`, or `LEDGER_UNAVAILABLE` with that cause. */
  close(): Promise<void>;
}

/**
 * A problem of stored data.
 *
 * @example
 * ```ts
 * import type { StoreProblem } from "@haft/store";
 * const report = ({ code, message, fix }: StoreProblem) => console.error(`${code}: ${message}\n${fix}`);
 * ```
 */
export interface StoreProblem {
  /**
   * `STORE_CORRUPT`: data exists and cannot be read. `STORE_INCOMPLETE`: data is missing. `NATS_UNFIT`: data may get lost on
   * that server. Other codes say why the check could not finish.
   */
  readonly code: string;
  /** The problem, as a sentence. */
  readonly message: string;
  /** How to solve it, as a sentence. */
  readonly fix: string;
}

/** The state of one notification about a request. Times are milliseconds since the epoch. */
export interface NoticeRecord {
  /** Id of the request. */
  readonly approvalId: string;
  /** Name of the target, as messages show it. */
  readonly target: string;
  /** When the notification started. */
  readonly at: number;
  /** State of the notification. `telling` also remains if the host was killed: the result is then unknown. */
  readonly state: "telling" | "told" | "failed";
  /** Reason of a failure, as the end of a sentence. */
  readonly problem?: string;
}

/**
 * Stores which target was told about which request, so that no target is told twice, by whichever process.
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
 * A stored command of a run. Known secrets in it are hidden.
 *
 * @example
 * ```ts
 * import type { ProcessRecord } from "@haft/store";
 * const describe = ({ info, where = "host", fate }: ProcessRecord) => `${info.command} (${where}) ${fate}`;
 * ```
 */
export interface ProcessRecord {
  /** The last known state. */
  readonly info: ProcessInfo;
  /** The process on the machine, if the command runs there and may outlive its host. Absent if it cannot, or if it is unknown. */
  readonly process?: {
    readonly pid: number;
    /** Start time in a unit of the system. */
    readonly started: number;
    /** Scope in which the process id is unique: one start of one machine or container. */
    readonly space: string;
  };
  /** Where the command runs: `host`, `view` (contained on the host), `sandbox` or `node`. */
  readonly where?: string;
  /** What happened to the command when its host ended, as far as the way of its start determines it: the end of a sentence. */
  readonly fate: string;
}

/**
 * Stores the commands of runs. It is bounded: it holds the latest commands of each run, for as long as the run exists.
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
  put(runId: string, kept: ProcessRecord): void | Promise<void>;
  /** Removes a command, if it is stored. */
  remove(runId: string, id: string): void | Promise<void>;
}
