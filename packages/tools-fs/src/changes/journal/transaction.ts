/**
 * One change in a journal, with the data to finish it, roll it back or undo it.
 *
 * @example
 * ```ts
 * import type { TransactionRecord } from "@haft/tools-fs/engine";
 * const isOfRun = ({ by }: TransactionRecord, runId: string) => by?.runId === runId;
 * ```
 */
export interface TransactionRecord {
  /** Id of the transaction. Ids sort by time. */
  id: string;
  /** Start time, in milliseconds since the epoch. */
  at: number;
  /** Workspace of the record, which is only applied to that workspace. */
  scope: string;
  /** The session and call that made the change. Absent in older records, and if no session made it. */
  by?: { agentId: string; sessionKey: string; runId?: string; toolCallId?: string };
  /** Id of the transaction that this one has undone. */
  undoes?: string;
  /**
   * The file operations in order, each with the data to revert it. Paths are real paths in the workspace's own form; hashes are
   * SHA-256 in hex, sizes are in bytes, modes are permission bits.
   */
  steps: readonly (
    | {
        kind: "write";
        path: string;
        /** `null` when the file is created. */
        before: { hash: string; size: number; mode: number } | null;
        after: {
          hash: string;
          size: number;
          /** Mode after the write, if the write changed it. */
          mode?: number;
        };
        /** Ranges of the new bytes, each with the bytes that it replaced; empty if the file was created. */
        back: readonly { start: number; end: number; bytes: Uint8Array }[];
        /** Path of a file that a later step removes: the created file continues it, with its owner and attributes. */
        like?: string;
      }
    | {
        kind: "remove";
        path: string;
        before: {
          hash: string;
          size: number;
          mode: number;
          /** Whether the file had an access list, which is lost: the group bits of its mode do not describe its group. */
          accessList?: boolean;
        };
        /** The whole content. */
        bytes: Uint8Array;
        /** Whether a symbolic link was removed: `bytes` are those of its target, and the link itself cannot be restored. */
        link: boolean;
        /** Whether the file was too large for its content to be stored: it cannot be restored. */
        lost?: boolean;
      }
    | {
        kind: "rename";
        from: string;
        to: string;
        before: { hash: string; size: number; mode: number };
        /** Whether the file was too large to be read: its hash is empty, and its size and version identify it. */
        unread?: boolean;
      }
  )[];
  /** Folders that the transaction creates, the outermost first. */
  folders: readonly string[];
  /**
   * The version of the file after each completed step, `null` if there is no file: only this identifies a file of the
   * transaction. Present only in a record that was read from a journal.
   */
  done?: readonly (string | null)[];
}

export type ChangeAuthor = NonNullable<TransactionRecord["by"]>;

export type TransactionStep = TransactionRecord["steps"][number];

/** The mode of a removed file that is made again: without its access list it must not grant more than it did. */
export function modeToRestore({ mode, accessList }: FileImage): number {
  return accessList === true ? mode & 0o1700 : mode;
}

/** The mode of a file whose change is taken back: that from before, without what somebody else has taken away since. */
export function getRevertedMode(before: number, now: number, after?: number): number {
  return now === after ? before : before & now;
}

/** Content and permissions of a file at one moment. */
export type FileImage = Extract<TransactionStep, { kind: "remove" }>["before"];

export type StepMark = string | null;

/** Behind the ids of changes that were not made on the host. */
export const NON_HOST_SUFFIX = "-elsewhere";

let last = 0;

/** Sorts by time, and those of one process in their order; unguessable enough not to collide between processes. */
export function newTransactionId(now: number, place: string): string {
  last = Math.max(now, last + 1);
  const id = `${last.toString(36).padStart(9, "0")}-${crypto.randomUUID().slice(-12)}`;
  return place === "host" ? id : `${id}${NON_HOST_SUFFIX}`;
}

/** The step that made what the file of this removal went on as, and which still has its owner and attributes. */
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

/** The path at which a step puts something where nothing was. */
export function getCreatedPath(step: TransactionStep): string | undefined {
  if (step.kind === "rename") return step.to;
  return step.kind === "write" && step.before === null ? step.path : undefined;
}
