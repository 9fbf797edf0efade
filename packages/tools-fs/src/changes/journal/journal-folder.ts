import { HaftError } from "@haft/plugin-sdk";
import {
  IrregularFileError,
  isAlive,
  makePrivateFolder,
  openRegularFile,
  systemReason,
  getCurrentProcess,
} from "@haft/system";
import { withoutUndefined } from "@haft/utils";
import {
  closeSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { JOURNAL } from "../../defaults.ts";
import { fileToolError } from "../../errors.ts";
import { EventLoopYielder } from "../../scheduling/event-loop-yielder.ts";
import type { DirectoryJournalOptions, JournalEntry, JournalStore } from "./journal.ts";
import { decodeHeader, decodeRecord, encodeMark, encodeRecord, type RecordHeader } from "./record-codec.ts";
import { NON_HOST_SUFFIX, type TransactionRecord } from "./transaction.ts";

const OPEN = ".open";
const COMMITTED = ".done";
const FAILED = ".failed";
/** Divisor of the limits for changes outside the host, which have their own quota. */
const SHARE_ELSEWHERE = 4;
const HEADER_BYTES = 16 * 1024;
const LARGEST_HEADER = 256 * 1024 * 1024;
const LARGEST_RECORD = 2 ** 31 - 1;
const CUT_SHORT_AFTER_MS = 60_000;
/** Larger records are written without blocking the event loop. */
const BLOCKING_BYTES = 1024 * 1024;
/** Old records are removed on the first commit, then on every 64th. */
const PRUNE_EVERY = 64;

export function openJournalFolder(directory: string, options: DirectoryJournalOptions = {}): JournalStore {
  const limits = { ...JOURNAL, ...withoutUndefined(options) };
  const marking = new Map<string, number>();
  let stored = new Map<string, Facts>();
  let ready = false;
  let commits = 0;

  const guarded = <T>(work: () => T | Promise<T>): Promise<T> => guardedIn(directory, work);
  const pathOf = (id: string, suffix: string): string => join(directory, `${checkId(id)}${suffix}`);

  async function readRecord(id: string): Promise<{ bytes: Buffer; suffix: string } | undefined> {
    for (const suffix of [COMMITTED, OPEN, FAILED]) {
      const bytes = await readWhole(pathOf(id, suffix));
      if (bytes !== undefined) return { bytes, suffix };
    }
    return undefined;
  }

  function stopMarking(id: string): void {
    const handle = marking.get(id);
    if (handle === undefined) return;
    marking.delete(id);
    closeSync(handle);
  }

  const store: JournalStore = {
    begin(record) {
      return guarded(async () => {
        if (!ready) makePrivateFolder(directory);
        ready = true;
        const handle = await writeRecord(pathOf(record.id, OPEN), record, options.durable ?? false);
        if (handle !== undefined) marking.set(record.id, handle);
      });
    },
    mark(id, mark) {
      let handle = marking.get(id);
      if (handle === undefined) {
        handle = openSync(pathOf(id, OPEN), "a");
        marking.set(id, handle);
      }
      writeSync(handle, encodeMark(mark));
    },
    commit(id) {
      return guarded(async () => {
        stopMarking(id);
        renameSync(pathOf(id, OPEN), pathOf(id, COMMITTED));
        commits += 1;
        if (commits % PRUNE_EVERY === 1) stored = await prune(directory, limits, stored);
      });
    },
    fail(id) {
      return guarded(async () => {
        stopMarking(id);
        renameSync(pathOf(id, OPEN), pathOf(id, FAILED));
      });
    },
    load: (id) => guarded(async () => decodeRecord((await readRecord(id))?.bytes ?? Buffer.alloc(0))?.record),
    list: ({ unfinished = false } = {}) => guarded(() => listRecords(directory, unfinished)),
    remove(id) {
      return guarded(async () => {
        stopMarking(id);
        await Promise.all([OPEN, COMMITTED, FAILED].map((suffix) => rm(pathOf(id, suffix), { force: true })));
      });
    },
  };
  return store;
}

async function writeRecord(
  path: string,
  record: TransactionRecord,
  durable: boolean,
): Promise<number | undefined> {
  const parts = encodeRecord(record, getCurrentProcess());
  const size = parts.reduce((sum, part) => sum + part.length, 0);
  if (size > BLOCKING_BYTES) {
    await writeFile(path, parts, { mode: 0o600, flag: "wx", flush: durable });
    return undefined;
  }
  const handle = openSync(path, "ax", 0o600);
  try {
    writeFileSync(handle, Buffer.concat(parts, size), { flush: durable });
    return handle;
  } catch (error) {
    closeSync(handle);
    throw error;
  }
}

async function listRecords(directory: string, unfinished: boolean): Promise<JournalEntry[]> {
  const names = (await readdir(directory).catch(ignoreMissing)) ?? [];
  const entries: JournalEntry[] = [];
  for (const name of names.toSorted()) {
    const suffix = [OPEN, COMMITTED, FAILED].find((each) => name.endsWith(each));
    if (suffix === undefined || (unfinished && suffix !== OPEN)) continue;
    const path = join(directory, name);
    const facts = await stat(path).catch(ignoreMissing);
    const header = facts && (await readHeader(path));
    if (facts === undefined) continue;
    if (header === undefined || header.size > facts.size) {
      if (Date.now() - facts.mtimeMs > CUT_SHORT_AFTER_MS) await rm(path, { force: true });
      continue;
    }
    const { record, owner, paths, size } = header;
    const ended = suffix === COMMITTED ? "committed" : suffix === FAILED ? "failed" : undefined;
    const state = ended ?? (isAlive(owner) ? "running" : "open");
    const { folders: _folders, ...known } = record;
    entries.push({ ...known, state, paths, size, writer: owner });
  }
  return entries;
}

async function readWhole(path: string): Promise<Buffer | undefined> {
  const file = await openRegularFile(path).catch(ignoreMissing);
  try {
    if (file === undefined || (await file.stat()).size > LARGEST_RECORD) return undefined;
    return await file.readFile();
  } finally {
    await file?.close();
  }
}

async function readHeader(path: string): Promise<RecordHeader | undefined> {
  const file = await openRegularFile(path).catch(ignoreMissing);
  if (file === undefined) return undefined;
  try {
    for (let length = HEADER_BYTES; length <= LARGEST_HEADER; length *= 4) {
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, 0);
      const header = decodeHeader(buffer.subarray(0, bytesRead));
      if (header !== "longer") return header;
      if (bytesRead < length) return undefined;
    }
    return undefined;
  } finally {
    await file.close();
  }
}

type Limits = Required<Omit<DirectoryJournalOptions, "durable">>;

type Facts = Pick<Stats, "size" | "mtimeMs">;

async function prune(
  directory: string,
  limits: Limits,
  known: ReadonlyMap<string, Facts>,
): Promise<Map<string, Facts>> {
  const names = (await readdir(directory))
    .filter((name) => name.endsWith(COMMITTED) || name.endsWith(FAILED))
    .toSorted()
    .toReversed();
  const isElsewhere = (name: string): boolean => name.includes(`${NON_HOST_SUFFIX}.`);
  const onHost = names.filter((name) => !isElsewhere(name));
  const others = names.filter(isElsewhere);
  const share: Limits = {
    maxTransactions: Math.ceil(limits.maxTransactions / SHARE_ELSEWHERE),
    maxBytes: limits.maxBytes / SHARE_ELSEWHERE,
    maxAgeMs: limits.maxAgeMs,
  };
  const left = [
    ...(await keepNewest(directory, onHost, limits, known)),
    ...(await keepNewest(directory, others, share, known)),
  ];
  return new Map(left);
}

/**
 * Removes records beyond the limits and returns the rest.
 *
 * @param names newest first
 */
async function keepNewest(
  directory: string,
  names: readonly string[],
  limits: Limits,
  known: ReadonlyMap<string, Facts>,
): Promise<[name: string, facts: Facts][]> {
  const left: [string, Facts][] = [];
  let bytes = 0;
  // Hundreds of records in the thread pool cost more than their changes.
  const turns = new EventLoopYielder();
  for (const [index, name] of names.entries()) {
    const turn = turns.pause();
    if (turn !== undefined) await turn;
    const facts = known.get(name) ?? statSync(join(directory, name), { throwIfNoEntry: false });
    if (facts === undefined) continue;
    const { size, mtimeMs } = facts;
    bytes += size;
    const tooMany = index >= limits.maxTransactions;
    const tooOld = Date.now() - mtimeMs > limits.maxAgeMs;
    if (index > 0 && (tooMany || tooOld || bytes > limits.maxBytes))
      rmSync(join(directory, name), { force: true });
    else left.push([name, { size, mtimeMs }]);
  }
  return left;
}

function checkId(id: string): string {
  if (/^[a-z0-9-]{1,64}$/.test(id)) return id;
  throw fileToolError("TRANSACTION_NOT_FOUND", `${JSON.stringify(id)} is not a transaction id.`, {
    fix: "Use the transactionId that a change reported.",
  });
}

function ignoreMissing(error: unknown): undefined {
  if (error instanceof IrregularFileError) return undefined;
  if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
  throw error;
}

async function guardedIn<T>(directory: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (HaftError.is(error)) throw error;
    const message = `The journal of changes in ${directory} cannot be used: ${systemReason(error)}.`;
    throw fileToolError("JOURNAL_FAILED", message, { cause: error, details: { folder: directory } });
  }
}
