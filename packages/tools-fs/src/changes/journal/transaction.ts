/**
 * A change in a journal, with the data to finish it, roll it back or undo it.
 *
 * @example
 * ```ts
 * import type { TransactionRecord } from "@haft/tools-fs/engine";
 * const isOfRun = ({ by }: TransactionRecord, runId: string) => by?.runId === runId;
 * ```
 */
export interface TransactionRecord {
  /** Identifies the transaction. Ids sort by time. */
  id: string;
  /** Contains the start time, in milliseconds since the epoch. */
  at: number;
  /** Identifies the workspace. The record only applies to it. */
  scope: string;
  /** Identifies the session and call that made the change. Absent in older records, and without a session. */
  by?: { agentId: string; sessionKey: string; runId?: string; toolCallId?: string };
  /** Identifies the transaction that this transaction undid. */
  undoes?: string;
  /**
   * Lists the file operations in order, each with the data to revert it. Paths are real paths in the workspace's own form; hashes are
   * sizes are in bytes, modes are permission bits.
   */
  steps: readonly (
    | {
        kind: "write";
        path: string;
        /** `null` if the step creates the file. */
        before: { hash: string; size: number; mode: number } | null;
        after: {
          hash: string;
          size: number;
          /** Contains the mode after the write, if the write changed it. */
          mode?: number;
        };
        /** Lists ranges of the new bytes, each with the replaced bytes. Empty if the step creates the file. */
        back: readonly { start: number; end: number; bytes: Uint8Array }[];
        /** Names a file that a later step removes. The created file gets its owner and attributes. */
        like?: string;
      }
    | {
        kind: "remove";
        path: string;
        before: {
          hash: string;
          size: number;
          mode: number;
          /** Indicates that the file had an access list, which is lost: the group bits of its mode do not describe its group. */
          accessList?: boolean;
        };
        bytes: Uint8Array;
        /** Indicates a symbolic link. `bytes` are the target's, and the link itself cannot be restored. */
        link: boolean;
        /** Indicates that the file was too large to store and cannot be restored. */
        lost?: boolean;
      }
    | {
        kind: "rename";
        from: string;
        to: string;
        before: { hash: string; size: number; mode: number };
        /** Indicates that the file was too large to read. Its hash is empty; its size and version identify it. */
        unread?: boolean;
      }
  )[];
  /** Lists folders that the transaction creates, the outermost first. */
  folders: readonly string[];
  /**
   * Lists the version of the file after each completed step, `null` without a file. Only these identify a file of the transaction. Present
   * records from a journal.
   */
  done?: readonly (string | null)[];
}

export type ChangeAuthor = NonNullable<TransactionRecord["by"]>;

export type TransactionStep = TransactionRecord["steps"][number];

/** Returns the mode to restore. Without its access list, the file must not grant more than before. */
export function modeToRestore({ mode, accessList }: FileImage): number {
  return accessList === true ? mode & 0o1700 : mode;
}

/** Returns the old mode without bits that were removed since. */
export function getRevertedMode(before: number, now: number, after?: number): number {
  return now === after ? before : before & now;
}

export type FileImage = Extract<TransactionStep, { kind: "remove" }>["before"];

export type StepMark = string | null;

export const NON_HOST_SUFFIX = "-elsewhere";

let last = 0;

export function newTransactionId(now: number, target: string): string {
  last = Math.max(now, last + 1);
  const id = `${last.toString(36).padStart(9, "0")}-${crypto.randomUUID().slice(-12)}`;
  return target === "host" ? id : `${id}${NON_HOST_SUFFIX}`;
}

export function findSuccessorStep(
  { steps }: Pick<TransactionRecord, "steps">,
  removed: TransactionStep,
): Extract<TransactionStep, { kind: "write" }> | undefined {
  if (removed.kind !== "remove") return undefined;
  for (const step of steps) if (step.kind === "write" && step.like === removed.path) return step;
  return undefined;
}

export function getStepPaths(step: TransactionStep): string[] {
  return step.kind === "rename" ? [step.from, step.to] : [step.path];
}

export function getCreatedPath(step: TransactionStep): string | undefined {
  if (step.kind === "rename") return step.to;
  return step.kind === "write" && step.before === null ? step.path : undefined;
}
