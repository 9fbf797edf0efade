/** Everything needed to finish, roll back or undo one change, whatever happened since. */
export interface TransactionRecord {
  /** Sorts by time. */
  id: string;
  /** Milliseconds since the epoch. */
  at: number;
  /** Which workspace: a record is only ever applied to the workspace it came from. */
  scope: string;
  /** Whose change it is: of which call of which session. Absent in older records, and where no session made it. */
  by?: { agentId: string; sessionKey: string; runId?: string; toolCallId?: string };
  /** The transaction that this one took back. */
  undoes?: string;
  /**
   * The file operations in order, each with what it takes to go back. Paths are real paths in the workspace's own
   * spelling; hashes are SHA-256 in hex, sizes are bytes, modes permission bits.
   */
  steps: readonly (
    | {
        kind: "write";
        path: string;
        /** `null` when the file is created. */
        before: { hash: string; size: number; mode: number } | null;
        after: { hash: string; size: number; /** Where it brought others along. */ mode?: number };
        /** Ranges of the bytes after, and what stood there before; empty when the file is created. */
        back: readonly { start: number; end: number; bytes: Uint8Array }[];
        /** It was created as the file here, which a later step removes, goes on: with its owner and attributes. */
        like?: string;
      }
    | {
        kind: "remove";
        path: string;
        before: {
          hash: string;
          size: number;
          mode: number;
          /** It had an access list, which is lost: the group bits of its mode say nothing of its group. */
          accessList?: boolean;
        };
        /** The whole content: nothing is left of the file to derive it from. */
        bytes: Uint8Array;
        /** A symbolic link was removed: `bytes` are its target's, and the link itself cannot be made again. */
        link: boolean;
        /** The file was too large for its content to be kept: it cannot be made again. */
        lost?: boolean;
      }
    | {
        kind: "rename";
        from: string;
        to: string;
        before: { hash: string; size: number; mode: number };
        /** The file was too large to be read, so its hash is empty: what was moved is known by its size and version. */
        unread?: boolean;
      }
  )[];
  /** Folders the transaction creates, outermost first. */
  folders: readonly string[];
  /**
   * The version of the file each step left that was carried out so far, `null` when it left none: by it alone a file is
   * known to be ours. Only in a record that was read back from a journal.
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
