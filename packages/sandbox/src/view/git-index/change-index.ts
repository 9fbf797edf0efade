import { attempt, copyFileAccess, readRegularFile } from "@haft/system";
import { createHash } from "node:crypto";
import {
  type BigIntStats,
  closeSync,
  constants,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  utimesSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { withOpenFolder } from "../files/with-open-folder.ts";
import { EXTENDED, HEADER, type IndexEntry, readIndex, SKIP_WORKTREE } from "./read-index.ts";
import { getHashLength } from "./working-tree.ts";

const LARGEST_INDEX = 256 * 1024 * 1024;
/** They contain offsets, and git does not need them. */
const OFFSET_EXTENSIONS: ReadonlySet<string> = new Set(["EOIE", "IEOT"]);
/** Git recreates them. */
const OF_ENTRIES: ReadonlySet<string> = new Set(["FSMN", "UNTR", "TREE"]);
const SPLIT = "link";

export function readIndexFile(gitFolder: string): Buffer | undefined {
  return attempt(() => readRegularFile(join(gitFolder, "index"), { maxBytes: LARGEST_INDEX }));
}

export type EntryChange = "skip" | "do not skip" | "remove" | "resolve and skip" | { stats: BigIntStats };

/** `unchanged`: no entry matched. `locked`: by another git. `unreadable`: missing, damaged or split. */
export type ChangeResult = "done" | "unchanged" | "locked" | "unreadable";

export function readEntries(gitFolder: string, common: string): readonly IndexEntry[] {
  const index = readIndexFile(gitFolder);
  return (index && readIndex(index, getHashLength(common)))?.entries ?? [];
}

/** Git then treats a missing file as unchanged; during a conflict, as the current branch's version. */
export function getHidingChange({ stage, skipWorktree }: IndexEntry): EntryChange | undefined {
  if (stage === 0) return skipWorktree ? undefined : "skip";
  return stage === 2 ? "resolve and skip" : "remove";
}

/** Locks like `git update-index`. `hash`: 20 or 32 bytes. */
export function changeIndex(
  gitFolder: string,
  hash: number,
  changeOf: (entry: IndexEntry) => EntryChange | undefined,
): ChangeResult {
  const result = withOpenFolder(join(gitFolder, "index"), (path): ChangeResult => {
    const lock = `${path}.lock`;
    const file = openLock(lock);
    if (file === undefined) return "locked";
    let isMoved = false;
    try {
      const stats = lstatSync(path, { throwIfNoEntry: false });
      const index = attempt(() => readRegularFile(path, { maxBytes: LARGEST_INDEX }));
      if (index === undefined || stats === undefined) return "unreadable";
      const next = applyIndexChanges(index, hash, changeOf);
      if (next === "unchanged" || next === "unreadable") return next;
      copyFileAccess(path, file);
      for (let at = 0; at < next.length;) at += writeSync(file, next, at);
      // With a later time, git would trust files that changed at the same time as the index.
      utimesSync(lock, stats.atimeMs / 1000, Math.floor(stats.mtimeMs) / 1000);
      renameSync(lock, path);
      isMoved = true;
      return "done";
    } finally {
      closeSync(file);
      if (!isMoved) rmSync(lock, { force: true });
    }
  });
  return result ?? "unreadable";
}

function openLock(lock: string): number | undefined {
  try {
    return openSync(
      lock,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
      0o600,
    );
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "EEXIST") return undefined;
    throw thrown;
  }
}

export function applyIndexChanges(
  index: Buffer,
  hash: number,
  changeOf: (entry: IndexEntry) => EntryChange | undefined,
): Buffer | "unchanged" | "unreadable" {
  const read = readIndex(index, hash);
  const extensions = read && extensionsOf(index, read.end, hash);
  if (read === undefined || extensions === undefined) return "unreadable";
  if (extensions.some(({ name }) => name === SPLIT)) return "unreadable";
  const changes = read.entries.map((entry) => ({ entry, change: changeOf(entry) }));
  const isSame = ({ entry, change }: (typeof changes)[number]): boolean =>
    change === undefined ||
    (change === "skip" && entry.skipWorktree) ||
    (change === "do not skip" && !entry.skipWorktree);
  if (changes.every(isSame)) return "unchanged";
  const remaining = changes.filter(({ change }) => change !== "remove");
  const isShorter = remaining.length < changes.length;
  const version = Math.max(read.version, 3);
  let before = "";
  const entries = remaining.map(({ entry, change }) => {
    const bytes = entryBytes(index, entry, { change, version, hash, before });
    before = entry.name;
    return bytes;
  });
  const header = Buffer.from(index.subarray(0, HEADER));
  header.writeUInt32BE(version, 4);
  header.writeUInt32BE(remaining.length, 8);
  const isCopied = (name: string): boolean =>
    !OFFSET_EXTENSIONS.has(name) && !(isShorter && OF_ENTRIES.has(name));
  const rest = extensions.filter(({ name }) => isCopied(name)).map(({ bytes }) => bytes);
  const body = Buffer.concat([header, ...entries, ...rest]);
  // With `index.skipHash`, the checksum is zero.
  const hasSum = index.subarray(-hash).some((byte) => byte !== 0);
  const sum = hasSum
    ? createHash(hash === 32 ? "sha256" : "sha1")
        .update(body)
        .digest()
    : Buffer.alloc(hash);
  return Buffer.concat([body, sum]);
}

interface Extension {
  name: string;
  bytes: Buffer;
}

function extensionsOf(index: Buffer, from: number, hash: number): Extension[] | undefined {
  const found: Extension[] = [];
  const end = index.length - hash;
  for (let at = from; at < end;) {
    if (at + 8 > end) return undefined;
    const next = at + 8 + index.readUInt32BE(at + 4);
    if (next > end) return undefined;
    found.push({ name: index.toString("latin1", at, at + 4), bytes: index.subarray(at, next) });
    at = next;
  }
  return found;
}

interface Writing {
  change: EntryChange | undefined;
  version: number;
  hash: number;
  before: string;
}

const STAGES = 0x3000;

function entryBytes(index: Buffer, entry: IndexEntry, { change, version, before }: Writing): Buffer {
  const { start, flagsAt, isExtended } = entry;
  let flags = index.readUInt16BE(flagsAt);
  let extended = isExtended ? index.readUInt16BE(flagsAt + 2) : 0;
  if (change === "skip" || change === "resolve and skip") extended |= SKIP_WORKTREE;
  if (change === "do not skip") extended &= ~SKIP_WORKTREE;
  if (change === "resolve and skip") flags &= ~STAGES;
  flags = extended === 0 ? flags & ~EXTENDED : flags | EXTENDED;
  const words = Buffer.alloc(extended === 0 ? 2 : 4);
  words.writeUInt16BE(flags, 0);
  if (extended !== 0) words.writeUInt16BE(extended, 2);
  const head = Buffer.concat([index.subarray(start, flagsAt), words]);
  if (typeof change === "object") writeStats(head, change.stats);
  const name = Buffer.from(entry.name, "latin1");
  if (version !== 4) {
    const length = head.length + name.length;
    return Buffer.concat([head, name, Buffer.alloc(((length + 8) & ~7) - length)]);
  }
  let shared = 0;
  while (shared < before.length && shared < entry.name.length && before[shared] === entry.name[shared])
    shared++;
  return Buffer.concat([head, stripped(before.length - shared), name.subarray(shared), Buffer.alloc(1)]);
}

function writeStats(entry: Buffer, { ctimeNs, mtimeNs, dev, ino, uid, gid, size }: BigIntStats): void {
  const [second, word] = [1_000_000_000n, 0xffffffffn];
  const before = [ctimeNs / second, ctimeNs % second, mtimeNs / second, mtimeNs % second, dev, ino];
  for (const [at, value] of before.entries()) entry.writeUInt32BE(Number(value & word), at * 4);
  for (const [at, value] of [uid, gid, size].entries())
    entry.writeUInt32BE(Number(value & word), 28 + at * 4);
}

function stripped(count: number): Buffer {
  const bytes = [count & 127];
  for (let rest = count >> 7; rest > 0; rest >>= 7) bytes.unshift(128 | (--rest & 127));
  return Buffer.from(bytes);
}
