import {
  type ChangeAuthor,
  goneOnAs,
  pathsOf,
  type StepMark,
  type TransactionRecord,
  type TransactionStep,
} from "../../journal/transaction.ts";
import { joined } from "./joined.ts";
import { NOTHING, type Standing } from "./look-at.ts";
import type { RewindConflict } from "./rewind-contract.ts";

interface Known extends Standing {
  before?: TransactionRecord;
}

export interface Unwound {
  conflicts: RewindConflict[];
  isHeld: (step: TransactionStep) => boolean;
}

/**
 * Goes back through changes, the newest first, without touching anything: each has to find what it left. Where it does
 * not, something else had its hands on the file, after the last of these changes or between two of them.
 *
 * @param records oldest first
 * @param now what stands at each path that they name
 */
export function unwind(records: readonly TransactionRecord[], now: ReadonlyMap<string, Standing>): Unwound {
  const files = new Map<string, Known>(now);
  const why = new Map<string, string>();
  const at = (path: string): Known => files.get(path) ?? NOTHING;
  const object = (path: string, record: TransactionRecord, reason?: string): void => {
    if (!why.has(path)) why.set(path, at(path).other ?? reason ?? betweenOf(record, at(path).before));
  };
  for (const record of records.toReversed()) {
    const put = (path: string, standing: Standing): void =>
      void files.set(path, { ...standing, before: record });
    for (const [index, step] of [...record.steps.entries()].toReversed()) {
      if (step.kind === "rename") {
        if (!isAsMoved(at(step.to), step, record.done?.[index])) object(step.to, record);
        if (!isNothing(at(step.from))) object(step.from, record, IN_THE_WAY);
        put(step.from, step.before);
        put(step.to, NOTHING);
      } else if (step.kind === "remove") {
        if (step.link) object(step.path, record, "it was a symbolic link, which cannot be made again");
        else if (step.lost === true) object(step.path, record, "it was too large for its content to be kept");
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

const IN_THE_WAY = "something else stands where it was";

function heldBy(records: readonly TransactionRecord[], why: ReadonlyMap<string, string>): Unwound {
  const steps = records.flatMap((record) =>
    record.steps.map((step) => [
      ...pathsOf(step),
      ...(goneOnAs(record, step) === undefined ? [] : [goneOnAs(record, step)!.path]),
    ]),
  );
  const groupOf = joined(steps);
  const cause = new Map([...why.keys()].map((path) => [groupOf(path), path]));
  const conflicts = [...new Set(steps.flat())].flatMap((path): RewindConflict[] => {
    const reason = why.get(path);
    if (reason !== undefined) return [{ path, why: reason }];
    const other = cause.get(groupOf(path));
    return other === undefined ? [] : [{ path, why: `it hangs together with ${other}` }];
  });
  return { conflicts, isHeld: (step) => cause.has(groupOf(pathsOf(step)[0]!)) };
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
  // Too large to be read: by its version, unless one of these changes has moved it on.
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
