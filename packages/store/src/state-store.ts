import type { ProcessInfo } from "@haft/core";
import type { LedgerStore } from "@haft/core/internal";
import type { ApprovalStore } from "@haft/core/kernel";

/** What a host keeps of its sessions, wherever that is. */
export interface StateStore {
  /** Runs of sessions, and their calls. */
  readonly ledger: LedgerStore;
  /** What was asked, answered and allowed. */
  readonly approvals: ApprovalStore;
  /** Commands of runs, and what became of them. */
  readonly processes: ProcessStore;
  /** Who was told of calls that wait. */
  readonly notices: NoticeStore;
  /**
   * Looks at all that is kept, which takes seconds where it is much. Empty: it is whole, as far as that can be told. Nothing is
   * changed.
   */
  check(): Promise<readonly StoreProblem[]>;
  /** Ends it in order. What is used afterwards throws `STORE_CLOSED`, or `LEDGER_UNAVAILABLE` because of it. */
  close(): Promise<void>;
}

/** Something that is wrong with what was kept. */
export interface StoreProblem {
  /**
   * `STORE_CORRUPT`: it is there and cannot be read. `STORE_INCOMPLETE`: it is not there any more. `NATS_UNFIT`: where it
   * is, it may get lost. Or why all of it cannot be looked at.
   */
  readonly code: string;
  /** What is wrong. */
  readonly message: string;
  /** What to do about it. */
  readonly fix: string;
}

/** Whether somebody was told of a request. Times are milliseconds since the epoch. */
export interface NoticeRecord {
  /** Of the request. */
  readonly approvalId: string;
  /** Who was to be told, as messages name it. */
  readonly target: string;
  /** When that was begun. */
  readonly at: number;
  /** `telling` where a host was killed meanwhile, too: then nobody knows. */
  readonly state: "telling" | "told" | "failed";
  /** Why it failed, as the end of a sentence. */
  readonly problem?: string;
}

/** Remembers who was told of which request, so that nobody is told twice, whoever resumes. */
export interface NoticeStore {
  /** Begins one. False: it was begun before, here or by another process. */
  begin(approvalId: string, target: string, at: number): boolean | Promise<boolean>;
  /** How it ended; without a problem, well. */
  end(approvalId: string, target: string, problem?: string): void | Promise<void>;
  /** Of these requests. */
  list(approvalIds: readonly string[]): readonly NoticeRecord[] | Promise<readonly NoticeRecord[]>;
}

/** One command of a run, as it is kept. Known secrets are covered in it. */
export interface ProcessRecord {
  /** As it was last heard of. */
  readonly info: ProcessInfo;
  /** Where it runs on the machine itself, and may outlive its host: its process there. Absent where it cannot, or nobody knows. */
  readonly process?: {
    readonly pid: number;
    /** When it started, in a unit of the system. */
    readonly started: number;
    /** Where its number means something: one start of one machine or container. */
    readonly space: string;
  };
  /** Where it runs: `host`, `view` (contained on the host), `sandbox`, `node`. */
  readonly where?: string;
  /** What became of it when its host ended, where that is known by how it was started: the end of a sentence. */
  readonly fate: string;
}

/** Keeps the commands of runs. What it keeps is bounded: of each run the latest, and no longer than the run. */
export interface ProcessStore {
  /** Of a run, the oldest first. */
  list(runId: string): readonly ProcessRecord[] | Promise<readonly ProcessRecord[]>;
  /** Keeps one, instead of what was kept of its id. */
  put(runId: string, kept: ProcessRecord): void | Promise<void>;
  /** Forgets one; one that is not kept is forgotten already. */
  remove(runId: string, id: string): void | Promise<void>;
}
