import { withoutUndefined } from "@haft/utils";
import { encode, encodingName } from "../../content/codecs.ts";
import { fileToolError } from "../../errors.ts";
import { getCreatedPath, type FileImage, type TransactionStep } from "../journal/transaction.ts";
import { contentHash } from "../text/content-hash.ts";
import { invertSplices, type Splice, spliceBetween } from "../text/splice.ts";
import { type FileBefore, type PlannedContent, type PlannedFile, plannedText } from "./planned-tree.ts";

/** One atomic file operation with the expected state of the file. Paths are as the caller wrote them, but real in `step`. */
export type Operation = { step: TransactionStep } & (
  | {
      kind: "write";
      path: string;
      bytes: Buffer;
      ifMatch: string | null;
      permissions: number | undefined;
      like?: string;
    }
  /** A write keeps the permissions of the file, so other permissions need a rename. */
  | { kind: "swap"; path: string; bytes: Buffer; ifMatch: string; permissions: number; like?: string }
  | { kind: "rename"; from: string; to: string; ifMatch: string; replace: boolean }
  | { kind: "remove"; path: string; ifMatch: string }
);

export interface NetChange {
  file: PlannedFile;
  kind: "added" | "modified" | "deleted" | "moved" | "unchanged";
  from?: PlannedFile;
  splices: readonly Splice[];
  before: Buffer | undefined;
  after: Buffer | undefined;
  text?: { before: Buffer; after: Buffer; splices: readonly Splice[] };
}

export function netChanges(files: readonly PlannedFile[]): NetChange[] {
  const movedAway = new Set<PlannedFile>();
  for (const file of files) {
    const origin = file.now?.origin?.file;
    if (origin !== undefined && origin !== file && origin.now === undefined) movedAway.add(origin);
  }
  return files.flatMap((file) => netChange(file, movedAway) ?? []);
}

function netChange(file: PlannedFile, movedAway: ReadonlySet<PlannedFile>): NetChange | undefined {
  const { before, now } = file;
  if (now === undefined) {
    if (before === undefined || movedAway.has(file)) return undefined;
    return { file, kind: "deleted", splices: [], before: before.bytes, after: undefined };
  }
  const { origin } = now;
  const after = bytesOf(file.target.path, now);
  const text = now.encoding === undefined ? undefined : textOfChange(now, origin?.file ?? file);
  const splicesFrom = (source: PlannedFile): readonly Splice[] =>
    text === undefined ? (origin?.splices ?? []) : spliceBetween(source.before?.bytes ?? EMPTY, after);
  if (origin !== undefined && movedAway.has(origin.file)) {
    const from = origin.file;
    const moved = { file, kind: "moved", from, before: from.before?.bytes, after } as const;
    return withoutUndefined({ ...moved, splices: splicesFrom(from), text });
  }
  if (before === undefined) return { file, kind: "added", splices: [], before: undefined, after };
  const hasOrigin = origin?.file === file;
  const splices = hasOrigin ? splicesFrom(file) : spliceBetween(before.bytes, after);
  const sameMode = hasOrigin || now.mode === undefined || now.mode === before.stat.mode;
  const kind = sameMode && isEqual(before.bytes, after, splices) ? "unchanged" : "modified";
  const shown = hasOrigin || origin === undefined ? text : undefined;
  return withoutUndefined({ file, kind, splices, before: before.bytes, after, text: shown });
}

/** Content before the first splice is equal. */
function isEqual(before: Buffer, after: Buffer, [first]: readonly Splice[]): boolean {
  if (first === undefined) return before.length === after.length;
  return before.length === after.length && before.subarray(first.start).equals(after.subarray(first.start));
}

const EMPTY = Buffer.alloc(0);

function textOfChange(
  { bytes, origin }: PlannedContent,
  source: PlannedFile,
): NonNullable<NetChange["text"]> {
  const before = plannedText(source.before);
  return { before, after: bytes, splices: origin?.splices ?? spliceBetween(before, bytes) };
}

/** Encodes the text as in the file. @throws `INVALID_TEXT` */
function bytesOf(path: string, { bytes, encoding, origin }: PlannedContent): Buffer {
  if (encoding === undefined) return bytes;
  if (origin?.splices.length === 0) return origin.file.before?.bytes ?? bytes;
  const result = encode(bytes, encoding);
  if ("bytes" in result) return result.bytes;
  const { lacking } = result;
  const number = lacking.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");
  const message = `${path} is in ${encodingName(encoding)}, which has no ${JSON.stringify(lacking)} (U+${number}). Nothing was changed.`;
  throw fileToolError("INVALID_TEXT", message, {
    fix: "Write it with other characters, as an escape of the file's format, or convert the file to UTF-8 first.",
    details: { path, encoding, character: lacking },
  });
}

export function planOperations(changes: readonly NetChange[]): Operation[] {
  const operations = changes.flatMap(operationsOf);
  const above = new Set(operations.flatMap(({ step }) => foldersAbove(getCreatedPath(step))));
  // Additions first, so that old files exist until the removals. Exception: a file whose name becomes a folder.
  const rank = ({ step }: Operation): number => {
    if (step.kind === "remove" && step.lost === true) return 4;
    if (step.kind === "remove") return above.has(step.path) ? 0 : 3;
    return step.kind === "rename" ? 2 : 1;
  };
  return operations.toSorted((a, b) => rank(a) - rank(b));
}

function foldersAbove(path = ""): string[] {
  const folders: string[] = [];
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1))
    folders.push(path.slice(0, end));
  return folders;
}

const isBelow = (path: string, folder: string): boolean => path.startsWith(`${folder}/`);

function operationsOf(change: NetChange): Operation[] {
  const { file, from, after } = change;
  switch (change.kind) {
    case "unchanged":
      return [];
    case "deleted":
      return [removal(file)];
    case "moved": {
      if (from?.before === undefined || after === undefined) return [];
      const free = file.before === undefined || isCaseOnly(file, from);
      const whole = change.splices.length === 0 && !from.before.link;
      if (whole && free && !isBelow(file.target.real, from.target.real)) return [renaming(from, file)];
      if (from.before.unreadable !== undefined) throw from.before.unreadable;
      return [goingOnAs(from, writing(change, after, file.now?.mode)), removal(from)];
    }
    case "added":
    case "modified":
      return after === undefined ? [] : [writing(change, after, file.now?.mode)];
  }
}

function goingOnAs({ target }: PlannedFile, operation: Operation): Operation {
  if (operation.kind === "swap") return { ...operation, like: target.at };
  if (operation.kind !== "write" || operation.step.kind !== "write") return operation;
  const like = operation.ifMatch === null ? { like: target.real } : {};
  return { ...operation, like: target.at, step: { ...operation.step, ...like } };
}

function isCaseOnly(to: PlannedFile, from: PlannedFile): boolean {
  return to.before !== undefined && to.before.stat.version === from.before?.stat.version;
}

function writing(change: NetChange, bytes: Buffer, mode: number | undefined): Operation {
  const { file } = change;
  const { before, target } = file;
  const after = {
    get hash() {
      return contentHash(bytes);
    },
    size: bytes.length,
    ...(before !== undefined && mode !== undefined && mode !== before.stat.mode && { mode }),
  };
  const base = { path: target.at, bytes };
  if (before === undefined) {
    const step: TransactionStep = { kind: "write", path: target.real, before: null, after, back: [] };
    return { ...base, kind: "write", step, ifMatch: null, permissions: mode };
  }
  const isUpdate = change.before === before.bytes && change.splices.length > 0;
  const splices = isUpdate ? change.splices : spliceBetween(before.bytes, bytes);
  const back = invertSplices(before.bytes, splices);
  const step: TransactionStep = { kind: "write", path: target.real, before: imageOf(before), after, back };
  const ifMatch = before.stat.version;
  return mode === undefined || mode === before.stat.mode
    ? { ...base, kind: "write", step, ifMatch, permissions: undefined }
    : { ...base, path: target.real, kind: "swap", step, ifMatch, permissions: mode };
}

function removal(file: PlannedFile): Operation {
  const { target } = file;
  const before = existing(file);
  const { bytes, link, stat, unreadable } = before;
  const lost = !link && unreadable !== undefined ? { lost: true } : {};
  const image = imageOf(before);
  const step: TransactionStep = { kind: "remove", path: target.real, before: image, bytes, link, ...lost };
  return { kind: "remove", step, path: target.at, ifMatch: stat.version };
}

function renaming(from: PlannedFile, to: PlannedFile): Operation {
  const before = existing(from);
  const paths = { from: from.target.real, to: to.target.real };
  const unread = before.unreadable === undefined ? {} : { unread: true };
  const step: TransactionStep = { kind: "rename", ...paths, before: imageOf(before), ...unread };
  const ifMatch = before.stat.version;
  const replace = to.before !== undefined;
  return { kind: "rename", step, from: from.target.at, to: to.target.at, ifMatch, replace };
}

function existing({ before, target }: PlannedFile): FileBefore {
  if (before === undefined) throw new Error(`${target.path} was never there`);
  return before;
}

/** A successful commit without a journal does not need the hash. */
function imageOf({ bytes, stat, link, unreadable }: FileBefore): FileImage {
  if (unreadable !== undefined && !link) return { hash: "", size: stat.size, mode: stat.mode };
  return {
    get hash() {
      return contentHash(bytes);
    },
    size: bytes.length,
    mode: stat.mode,
  };
}
