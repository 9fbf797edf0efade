import type { HaftError } from "@haft/plugin-sdk";
import { fileToolError } from "../../errors.ts";
import {
  findSuccessorStep,
  getRevertedMode,
  modeToRestore,
  getStepPaths,
  type StepMark,
  type TransactionRecord,
  type TransactionStep,
} from "../journal/transaction.ts";
import type { ChangeEngine, ChangePath, EngineContext } from "../plan/change-contract.ts";
import type { ChangeReport } from "../plan/change-report.ts";
import type { PlannedFile, PlannedTree } from "../plan/planned-tree.ts";
import { contentHash } from "../text/content-hash.ts";
import { applySplices, spliceBetween } from "../text/splice.ts";
import { removeFolders } from "./roll-back.ts";

export async function undoChange(
  engine: Pick<ChangeEngine, "change">,
  { fs, journal, root, scope }: EngineContext,
  id: string,
  options: { dryRun?: boolean; signal?: AbortSignal },
): Promise<ChangeReport> {
  const record = await journal?.load(id);
  if (record === undefined) throw notFound(id);
  if (record.scope !== scope) throw madeElsewhere(record);
  requireRestorable(record);
  const named = { ...record, steps: record.steps.map((step) => toRelativeStep(root, step)) };
  const paths = named.steps.flatMap(getStepPaths).map((path): ChangePath => ({ path, unlink: true }));
  const { report } = await engine.change({
    paths,
    plan: (tree) => planUndo(tree, named),
    asBytes: true,
    undoes: id,
    ...options,
  });
  if (options.dryRun !== true) await removeFolders(fs, record.folders);
  return report;
}

export function toRelativeStep(root: string, step: TransactionStep): TransactionStep {
  const name = (path: string): string => {
    const relative = root !== "" && path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
    // Some names have a special meaning at the start of a path.
    return /^~|:/.test(relative) ? path : relative;
  };
  if (step.kind === "rename") return { ...step, from: name(step.from), to: name(step.to) };
  const like = step.kind === "write" && step.like !== undefined ? { like: name(step.like) } : {};
  return { ...step, ...like, path: name(step.path) };
}

async function planUndo(tree: PlannedTree, record: TransactionRecord): Promise<void> {
  const changed: string[] = [];
  for (const [index, step] of record.steps.entries())
    changed.push(...(await changedSince(tree, step, record.done?.[index])));
  if (changed.length > 0) throw conflict(record.id, changed);
  for (const step of record.steps.toReversed()) await planStep(tree, record, step);
}

export async function planStep(
  tree: PlannedTree,
  record: TransactionRecord,
  step: TransactionStep,
): Promise<void> {
  if (step.kind === "rename") {
    tree.move(await tree.file(step.to, true), await tree.file(step.from, true));
    return;
  }
  const file = await tree.file(step.path, true);
  const now = findSuccessorStep(record, step);
  if (now !== undefined && step.kind === "remove") await bringBack(tree, file, step, now.path);
  else if (step.kind === "remove")
    tree.put(file, Buffer.from(step.bytes), { mode: modeToRestore(step.before) });
  else if (step.before === null) tree.remove(file);
  else if (file.now !== undefined) {
    const { bytes, mode: is = step.before.mode } = file.now;
    const mode = getRevertedMode(step.before.mode, is, step.after.mode);
    if (mode === is) tree.update(file, step.back);
    else tree.put(file, applySplices(bytes, step.back), { mode });
  }
}

/** Restores owner and attributes. */
async function bringBack(
  tree: PlannedTree,
  file: PlannedFile,
  { bytes, before: { mode } }: Extract<TransactionStep, { kind: "remove" }>,
  from: string,
): Promise<void> {
  const other = await tree.file(from, true);
  tree.move(other, file);
  if (file.now === undefined) return;
  tree.update(file, spliceBetween(file.now.bytes, Buffer.from(bytes)));
  file.now = { ...file.now, mode: getRevertedMode(mode, file.now.mode ?? mode) };
}

async function changedSince(
  tree: PlannedTree,
  step: TransactionStep,
  mark: StepMark | undefined,
): Promise<string[]> {
  const hashAt = async (path: string): Promise<string | null> => {
    const { before } = await tree.file(path, true);
    return before === undefined ? null : contentHash(before.bytes);
  };
  if (step.kind === "rename") {
    const isSame =
      step.unread === true
        ? (await tree.file(step.to, true)).before?.stat.version === mark
        : (await hashAt(step.to)) === step.before.hash;
    const moved = isSame ? [] : [step.to];
    return (await hashAt(step.from)) === null ? moved : [...moved, step.from];
  }
  const expected = step.kind === "remove" ? null : step.after.hash;
  return (await hashAt(step.path)) === expected ? [] : [step.path];
}

function requireRestorable({ id, steps }: TransactionRecord): void {
  const removed = steps.filter((step) => step.kind === "remove");
  const links = removed.filter(({ link }) => link).map(({ path }) => path);
  if (links.length > 0) {
    const message = `${id} removed symbolic links, which cannot be restored: ${links.join(", ")}.`;
    const fix = "Create the links manually, then undo the rest by editing.";
    throw fileToolError("UNDO_IMPOSSIBLE", message, { fix, details: { links } });
  }
  const lost = removed.filter((step) => step.lost === true).map(({ path }) => path);
  if (lost.length > 0) {
    const message = `${id} deleted files too large to store: ${lost.join(", ")}.`;
    const fix = "Restore them from a backup, then undo the rest by editing.";
    throw fileToolError("UNDO_IMPOSSIBLE", message, { fix, details: { lost } });
  }
}

function conflict(id: string, paths: readonly string[]): HaftError {
  const message = `${paths.join(", ")} changed since ${id}, and undoing it would lose that.`;
  return fileToolError("UNDO_CONFLICT", message, { details: { transactionId: id, paths } });
}

function notFound(id: string): HaftError {
  const message = `There is no stored change ${id} of this workspace.`;
  return fileToolError("TRANSACTION_NOT_FOUND", message, {
    fix: "Use the transactionId that a change reported. Old changes are deleted.",
    details: { transactionId: id },
    receipt: "none",
  });
}

/** The form of a scope is `place:root`. */
function madeElsewhere({ id, scope }: TransactionRecord): HaftError {
  const [target, root] = scope.split(/:(.*)/s, 2) as [string, string];
  const [where, fix] =
    target === "host"
      ? [
          `in the folder ${root}`,
          `Undo it from there: \`haft undo ${id} --workspace '${root.replaceAll("'", String.raw`'\''`)}'\``,
        ]
      : [
          `in a ${target}, in its folder ${root}`,
          "Check its changes in the mounted folder, if there is one, and restore them manually or from version control. A private folder was removed with its sandbox.",
        ];
  const message = `${id} was not made in this workspace but ${where}, and can only be undone there.`;
  const details = { transactionId: id, place: target, root };
  return fileToolError("TRANSACTION_NOT_FOUND", message, { fix, details, receipt: "none" });
}
