import { type FileSystem, HaftError, getErrorMessage } from "@haft/plugin-sdk";
import { withoutUndefined } from "@haft/utils";
import { getParentPath } from "../../paths/locate.ts";
import { EventLoopYielder } from "../../scheduling/event-loop-yielder.ts";
import type { JournalStore } from "../journal/journal.ts";
import { getStepPaths, type StepMark, type TransactionRecord } from "../journal/transaction.ts";
import { throwIfAborted } from "../locks/path-queue.ts";
import type { EngineContext } from "../plan/change-contract.ts";
import type { Operation } from "../plan/operations.ts";
import { toBuffer } from "../text/file-snapshot.ts";
import {
  changedDuringCommitError,
  type CommitProgress,
  rollBack,
  type RollBackResult,
  replaceFile,
} from "./roll-back.ts";

const VERIFY_SLICE = 1024 * 1024;

/**
 * Executes all operations or none. Without a journal, a failure is rolled back, but a crash is not. Every file is replaced atomically, only
 * if unchanged since the plan, and read back.
 *
 * @returns Paths of files without the owner or access list of their predecessors.
 * @throws The error of the failed operation, with receipt `none` if all files are restored, else `unknown`; `details.notRestored` lists the
 * others.
 */
export async function commit(
  record: TransactionRecord,
  operations: readonly Operation[],
  { fs, journal, durable = false }: EngineContext,
  signal: AbortSignal | undefined,
): Promise<ReadonlySet<string>> {
  throwIfAborted(signal);
  for (const operation of operations) if (operation.kind === "remove") await noteAccessList(fs, operation);
  await journal?.begin(record);
  const done: StepMark[] = [];
  const others = new Set<string>();
  let inDoubt = false;
  const turns = new EventLoopYielder();
  try {
    for (const operation of operations) {
      await turns.pause();
      throwIfAborted(signal);
      inDoubt = true;
      const result = await carryOut(fs, operation, durable);
      done.push(result.mark);
      inDoubt = false;
      if (result.accessLost === true && operation.kind !== "rename") others.add(operation.path);
      journal?.mark(record.id, result.mark);
      await verify(fs, operation, result);
    }
  } catch (error) {
    // The failed operation may have taken effect, unless its receipt is `none`.
    if (HaftError.is(error) && error.receipt === "none") inDoubt = false;
    if (isLeaseLost(error) && done.length > 0) throw leftOpen(error, record, done.length);
    const result = await rollBack(fs, record, { done, inDoubt });
    await close(journal, record.id, result);
    throw failure(error, { done, inDoubt }, operations.length, result);
  }
  await journal?.commit(record.id);
  return others;
}

/** Notes an access list, which is lost: see `modeToRestore`. */
async function noteAccessList(fs: FileSystem, { step, path }: Operation & { kind: "remove" }): Promise<void> {
  if (step.kind !== "remove" || step.link) return;
  const stat = await fs.stat(path, { follow: false, accessList: true });
  if (stat?.accessList === true) step.before.accessList = true;
}

/** Without a lease, a rollback is also forbidden. The next recovery finds the open record. */
function leftOpen(error: HaftError, { id, steps }: TransactionRecord, done: number): HaftError {
  const paths = steps.slice(0, done).flatMap(getStepPaths);
  const message = `${error.message} ${done} of ${steps.length} file operations were done before: ${paths.join(", ")}. They are reverted when a host starts after this program has ended.`;
  return new HaftError(error.code, message, {
    category: error.category,
    fix: "End this program, and check these files after the next program has started.",
    details: { ...error.details, transactionId: id, operationsDone: done, operations: steps.length },
    receipt: "unknown",
    cause: error,
  });
}

function isLeaseLost(error: unknown): error is HaftError {
  return HaftError.is(error) && error.code === "SESSION_LEASE_LOST";
}

/** Later changes must not count as part of this change. Errors of the journal do not replace the result. */
async function close(
  journal: JournalStore | undefined,
  id: string,
  { failed }: RollBackResult,
): Promise<void> {
  try {
    await (failed.length === 0 ? journal?.remove(id) : journal?.fail(id));
  } catch {
    // Recovery compares versions, so it distinguishes later changes.
  }
}

interface Result {
  mark: StepMark;
  readBack?: boolean;
  accessLost?: boolean;
}

async function carryOut(fs: FileSystem, operation: Operation, durable: boolean): Promise<Result> {
  switch (operation.kind) {
    case "write": {
      const { path, bytes, ifMatch, permissions, like } = operation;
      const options = withoutUndefined({ ifMatch, durable, permissions, like });
      const { stat, verified, accessLost = false } = await fs.write(path, bytes, options);
      return { mark: stat.version, readBack: verified === true, accessLost };
    }
    case "swap": {
      const { path, bytes, permissions, ifMatch, like } = operation;
      const accessLost = await replaceFile(fs, path, bytes, permissions, ifMatch, like);
      return { mark: await versionAt(fs, path), accessLost };
    }
    case "rename": {
      const folder = getParentPath(operation.to);
      if (folder !== undefined) await fs.mkdirp(folder);
      await fs.rename(operation.from, operation.to, {
        ifMatch: operation.ifMatch,
        replace: operation.replace,
      });
      return { mark: await versionAt(fs, operation.to) };
    }
    case "remove":
      await fs.remove(operation.path, { ifMatch: operation.ifMatch });
      return { mark: null };
  }
}

async function versionAt(fs: FileSystem, path: string): Promise<StepMark> {
  return (await fs.stat(path, { follow: false }))?.version ?? null;
}

async function verify(fs: FileSystem, operation: Operation, { mark, readBack }: Result): Promise<void> {
  if (operation.kind !== "write" && operation.kind !== "swap") return;
  const { path, bytes: expected } = operation;
  if (readBack === true) {
    if ((await fs.stat(path))?.version !== mark) throw changedDuringCommitError(path);
    return;
  }
  const into = expected.length > VERIFY_SLICE ? Buffer.allocUnsafe(VERIFY_SLICE) : undefined;
  for (let offset = 0; ;) {
    const { bytes, stat } = await fs.read(path, {
      offset,
      ...(into === undefined ? {} : { into, length: VERIFY_SLICE }),
    });
    const end = offset + bytes.length;
    if (stat.size !== expected.length || end > expected.length) throw changedDuringCommitError(path);
    if (expected.compare(toBuffer(bytes), 0, bytes.length, offset, end) !== 0)
      throw changedDuringCommitError(path);
    if (end === expected.length) return;
    if (bytes.length === 0) throw changedDuringCommitError(path);
    offset = end;
  }
}

function failure(
  error: unknown,
  progress: CommitProgress,
  total: number,
  { failed }: RollBackResult,
): HaftError {
  const done = progress.done.length;
  const known = HaftError.is(error) ? error : undefined;
  const cause = known?.message ?? getErrorMessage(error);
  const state =
    failed.length === 0
      ? done === 0
        ? "Nothing was changed."
        : `Nothing was changed: the ${done} of ${total} file operations already done were reverted.`
      : `These files could not be restored: ${failed.map(({ path, reason }) => `${path} (${reason})`).join("; ")}. ` +
        "Every other file is unchanged.";
  return new HaftError(known?.code ?? "CHANGE_FAILED", `${cause} ${state}`, {
    category: known?.category ?? "operational",
    fix:
      failed.length === 0
        ? (known?.fix ?? "Remove the cause and try again.")
        : "Check these files before you continue.",
    details: { ...known?.details, operationsDone: done, operations: total, notRestored: failed },
    receipt: failed.length === 0 ? "none" : "unknown",
    cause: error,
  });
}
