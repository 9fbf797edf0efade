import type { Splice } from "../text/splice.ts";

/** Content and permissions of a file at one moment. */
export interface FileImage {
  /** SHA-256, hex. */
  hash: string;
  /** Bytes. */
  size: number;
  /** Permission bits. */
  mode: number;
}

/**
 * One file operation of a transaction, with what it takes to go back. Paths are real paths in the
 * workspace's own spelling.
 */
export type TransactionStep =
  | {
      kind: "write";
      path: string;
      /** `null` when the file is created. */
      before: FileImage | null;
      after: { hash: string; size: number };
      /** Turns the bytes after into the bytes before; empty when the file is created. */
      back: readonly Splice[];
    }
  | {
      kind: "remove";
      path: string;
      before: FileImage;
      /** The whole content: nothing is left of the file to derive it from. */
      bytes: Uint8Array;
      /** A symbolic link was removed: `bytes` are its target's, and the link itself cannot be made again. */
      link: boolean;
      /** The file was too large for its content to be kept: it cannot be made again. */
      lost?: boolean;
    }
  | { kind: "rename"; from: string; to: string; before: FileImage };

/** Everything needed to finish, roll back or undo one change, whatever happened since. */
export interface TransactionRecord {
  id: string;
  /** Milliseconds since the epoch. */
  at: number;
  /** Which workspace: a record is only ever applied to the workspace it came from. */
  scope: string;
  steps: readonly TransactionStep[];
  /** Folders the transaction creates, outermost first. */
  folders: readonly string[];
  /** What is known of the steps carried out so far, in a record that was read back from a journal. */
  done?: readonly StepMark[];
}

/** {@link FileStat.version} of the file a step left; `null` when it left none. By it alone a file is known to be ours. */
export type StepMark = string | null;

/** Behind the ids of changes that were not made on the host. */
export const ELSEWHERE = "-elsewhere";

/** Sorts by time; unguessable enough not to collide between processes. */
export function newTransactionId(now: number, place: string): string {
  const id = `${now.toString(36).padStart(9, "0")}-${crypto.randomUUID().slice(-12)}`;
  return place === "host" ? id : `${id}${ELSEWHERE}`;
}

/** The paths a step touches. */
export function pathsOf(step: TransactionStep): string[] {
  return step.kind === "rename" ? [step.from, step.to] : [step.path];
}
