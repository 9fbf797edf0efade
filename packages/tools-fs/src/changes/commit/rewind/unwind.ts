import { type FileSystem, HaftError } from "@haft/plugin-sdk";
import { withoutUndefined } from "@haft/utils";
import { isAbsent, getParentPath } from "../../../paths/locate.ts";
import {
  type ChangeAuthor,
  findSuccessorStep,
  getStepPaths,
  type StepMark,
  type TransactionRecord,
  type TransactionStep,
} from "../../journal/transaction.ts";
import type { RewindConflict } from "../../plan/change-contract.ts";
import { contentHash } from "../../text/content-hash.ts";
import { readFileSnapshot } from "../../text/file-snapshot.ts";

interface Known extends FileState {
  before?: TransactionRecord;
}

interface Unwound {
  conflicts: RewindConflict[];
  isHeld: (step: TransactionStep) => boolean;
}

/**
 * Simulates reverting changes, newest first. Each must find its own result, otherwise another program changed the file.
 *
 * @param records oldest first
 * @param now current state of each path
 */
export function unwind(records: readonly TransactionRecord[], now: ReadonlyMap<string, FileState>): Unwound {
  const files = new Map<string, Known>(now);
  const why = new Map<string, string>();
  const at = (path: string): Known => files.get(path) ?? NOTHING;
  const object = (path: string, record: TransactionRecord, reason?: string): void => {
    if (!why.has(path)) why.set(path, at(path).other ?? reason ?? betweenOf(record, at(path).before));
  };
  for (const record of records.toReversed()) {
    const put = (path: string, standing: FileState): void =>
      void files.set(path, { ...standing, before: record });
    for (const [index, step] of [...record.steps.entries()].toReversed()) {
      if (step.kind === "rename") {
        if (!isAsMoved(at(step.to), step, record.done?.[index])) object(step.to, record);
        if (!isNothing(at(step.from))) object(step.from, record, IN_THE_WAY);
        put(step.from, step.before);
        put(step.to, NOTHING);
      } else if (step.kind === "remove") {
        if (step.link) object(step.path, record, "it was a symbolic link, which cannot be restored");
        else if (step.lost === true) object(step.path, record, "it was too large to store");
        else if (!isNothing(at(step.path))) object(step.path, record, IN_THE_WAY);
        put(step.path, step.before);
      } else {
        const { hash, mode, other } = at(step.path);
        const expected = step.after.mode ?? step.before?.mode;
        if (other !== undefined || hash !== step.after.hash) object(step.path, record);
        else if (expected !== undefined && mode !== undefined && mode !== expected)
          object(step.path, record, "its permissions were changed by something else");
        put(step.path, step.before ?? NOTHING);
      }
    }
  }
  return heldBy(records, why);
}

const IN_THE_WAY = "another file is at its path";

function heldBy(records: readonly TransactionRecord[], why: ReadonlyMap<string, string>): Unwound {
  const steps = records.flatMap((record) =>
    record.steps.map((step) => [
      ...getStepPaths(step),
      ...(findSuccessorStep(record, step) === undefined ? [] : [findSuccessorStep(record, step)!.path]),
    ]),
  );
  const groupOf = joined(steps);
  const cause = new Map([...why.keys()].map((path) => [groupOf(path), path]));
  const conflicts = [...new Set(steps.flat())].flatMap((path): RewindConflict[] => {
    const reason = why.get(path);
    if (reason !== undefined) return [{ path, why: reason }];
    const other = cause.get(groupOf(path));
    return other === undefined ? [] : [{ path, why: `it depends on ${other}` }];
  });
  return { conflicts, isHeld: (step) => cause.has(groupOf(getStepPaths(step)[0]!)) };
}

function isNothing({ hash, other }: Known): boolean {
  return hash === null && other === undefined;
}

function isAsMoved(
  { hash, mode, version, other }: Known,
  { before, unread }: Extract<TransactionStep, { kind: "rename" }>,
  mark: StepMark | undefined,
): boolean {
  if (other !== undefined || hash === null) return false;
  // A file too large to read is compared by version, unless one of these changes moved it.
  if (unread === true) return hash === before.hash && (version === undefined || version === mark);
  return hash === before.hash && (mode === undefined || mode === before.mode);
}

function betweenOf(record: TransactionRecord, next: TransactionRecord | undefined): string {
  const [one, other] = [record, next].map((each) => each && nameOf(each));
  return other === undefined
    ? `something else changed it after ${one}`
    : `something else changed it between ${one} and ${other}`;
}

function nameOf({ id, by }: { id: string; by?: ChangeAuthor }): string {
  return by?.toolCallId ?? `the change ${id}`;
}

/**
 * Groups paths of one step, and a path and its ancestors, because one must be absent for the other to exist.
 *
 * @returns A function with the same value for all paths of a group.
 */
function joined(together: readonly (readonly string[])[]): (path: string) => string {
  const parents = new Map<string, string>();
  const rootOf = (path: string): string => {
    const parent = parents.get(path) ?? path;
    return parent === path ? path : rootOf(parent);
  };
  const join = (one: string, other: string): void => void parents.set(rootOf(one), rootOf(other));
  for (const [first, ...others] of together) {
    if (first === undefined) continue;
    if (!parents.has(first)) parents.set(first, first);
    for (const other of others) {
      if (!parents.has(other)) parents.set(other, other);
      join(other, first);
    }
  }
  const all = [...parents.keys()];
  const known = new Set(all);
  for (const path of all)
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const above = path.slice(0, end);
      if (known.has(above)) join(path, above);
    }
  return rootOf;
}

export interface FileState {
  hash: string | null;
  mode?: number;
  version?: string;
  other?: string;
}

const NOTHING: FileState = { hash: null };

export async function readFileState(
  fs: FileSystem,
  path: string,
  maxBytes: number,
  signal?: AbortSignal,
): Promise<FileState> {
  try {
    const folder = getParentPath(path);
    if (folder !== undefined && (await fs.realpath(folder)) !== folder)
      return { hash: null, other: "its folder now leads to another location" };
    const stat = await fs.stat(path, { follow: false });
    if (stat === undefined) return NOTHING;
    if (stat.type !== "file") return { hash: null, other: KINDS[stat.type] };
    const { version, mode } = stat;
    if (stat.size > maxBytes) return { hash: "", mode, version };
    const read = await readFileSnapshot(fs, path, maxBytes, signal);
    return withoutUndefined({ hash: contentHash(read.bytes), mode, version: read.stat.version });
  } catch (thrown) {
    if (signal?.aborted === true || !HaftError.is(thrown)) throw thrown;
    return isAbsent(thrown) && thrown.code === "FILE_NOT_FOUND"
      ? NOTHING
      : { hash: null, other: `it cannot be read: ${thrown.message}` };
  }
}

const KINDS = {
  directory: "a folder is there now",
  symlink: "a symbolic link is there now",
  other: "it is not a regular file any more",
} as const;
