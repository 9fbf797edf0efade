import { sha256 } from "@haft/core/internal";
import type { TransactionRecord } from "@haft/tools-fs/internal";

/** Files by their paths; `undefined` where none is. */
export interface KnownFiles {
  read(path: string): Uint8Array | undefined;
  write(path: string, bytes: Uint8Array, mode: number): void;
  remove(path: string): void;
}

/**
 * Takes changes back in files that are copies, the last one first. A file that is not what its change left was changed by
 * somebody else meanwhile: it stays as it is, and its path is answered.
 *
 * @param records in the order in which they were made
 */
export function rewindFiles(files: KnownFiles, records: readonly TransactionRecord[]): string[] {
  const lost = new Set<string>();
  for (const { steps } of records.toReversed()) {
    for (const step of steps.toReversed()) {
      const paths = step.kind === "rename" ? [step.from, step.to] : [step.path];
      if (paths.some((path) => lost.has(path)) || !takeBack(files, step))
        for (const path of paths) lost.add(path);
    }
  }
  return [...lost];
}

function takeBack(files: KnownFiles, step: TransactionRecord["steps"][number]): boolean {
  if (step.kind === "rename") {
    const bytes = files.read(step.to);
    if (bytes === undefined || files.read(step.from) !== undefined) return false;
    if (step.unread !== true && hashOf(bytes) !== step.before.hash) return false;
    files.remove(step.to);
    files.write(step.from, bytes, step.before.mode);
    return true;
  }
  const now = files.read(step.path);
  if (step.kind === "remove") {
    if (now !== undefined || step.link || step.lost === true) return false;
    files.write(step.path, step.bytes, step.before.mode);
    return true;
  }
  if (now === undefined || hashOf(now) !== step.after.hash) return false;
  if (step.before === null) {
    files.remove(step.path);
    return true;
  }
  const before = withRanges(now, step.back);
  if (hashOf(before) !== step.before.hash) return false;
  files.write(step.path, before, step.before.mode);
  return true;
}

/** The bytes with what stood in some ranges before. */
function withRanges(
  after: Uint8Array,
  back: readonly { start: number; end: number; bytes: Uint8Array }[],
): Uint8Array {
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const { start, end, bytes } of back.toSorted((one, other) => one.start - other.start)) {
    parts.push(after.subarray(at, start), bytes);
    at = end;
  }
  parts.push(after.subarray(at));
  return Buffer.concat(parts);
}

function hashOf(bytes: Uint8Array): string {
  return sha256(bytes);
}
