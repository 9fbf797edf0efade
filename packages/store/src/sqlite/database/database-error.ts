import { HaftError, getErrorMessage } from "@haft/core";
import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { storeError } from "../../errors.ts";

type Code = Parameters<typeof storeError>[0];

const BUSY = 5;
const LOCKED = 6;
/** SQLITE_IOERR and SQLITE_CANTOPEN can mean that a companion file found no space. */
const PERHAPS_FULL: readonly number[] = [10, 14];
/** SQLITE_IOERR_SHMSIZE: shared memory found no space or quota. */
const NO_SHARED_MEMORY = 10 | (19 << 8);
const SHARED_MEMORY_BYTES = 32 * 1024;
/** By the low byte of SQLite's error code. */
const OF_SQLITE: Readonly<Record<number, Code>> = {
  [BUSY]: "STORE_LOCKED",
  [LOCKED]: "STORE_LOCKED",
  // SQLITE_PERM, READONLY, CANTOPEN, AUTH
  3: "STORE_UNUSABLE",
  8: "STORE_UNUSABLE",
  14: "STORE_UNUSABLE",
  23: "STORE_UNUSABLE",
  // SQLITE_CORRUPT, NOTADB
  11: "STORE_CORRUPT",
  26: "STORE_CORRUPT",
  // SQLITE_FULL
  13: "STORE_FULL",
};
const OF_SYSTEM: Readonly<Record<string, Code>> = {
  EACCES: "STORE_UNUSABLE",
  EPERM: "STORE_UNUSABLE",
  EROFS: "STORE_UNUSABLE",
  ENOSPC: "STORE_FULL",
  EDQUOT: "STORE_FULL",
};

export function databaseError(path: string, thrown: unknown): unknown {
  if (thrown instanceof HaftError) return thrown;
  const { code = "", errcode } = thrown as { code?: string; errcode?: number };
  const primary = primaryCode(thrown) ?? -1;
  const isFull = errcode === NO_SHARED_MEMORY || (PERHAPS_FULL.includes(primary) && isDiskFull(path));
  const known = isFull ? "STORE_FULL" : (OF_SQLITE[primary] ?? OF_SYSTEM[code] ?? "STORE_FAILED");
  const message = getErrorMessage(thrown);
  const isUnnamed = known === "STORE_FULL" && !message.includes("disk is full");
  const why = isUnnamed ? `the disk is full (${message})` : message;
  return storeError(known, `${path}: ${why}.`, { cause: thrown });
}

function isBusy(thrown: unknown): boolean {
  const code = primaryCode(thrown);
  return code === BUSY || code === LOCKED;
}

/** Some file systems report 0 for `files`. */
function isDiskFull(path: string): boolean {
  try {
    const { bavail, bsize, files, ffree } = statfsSync(dirname(path));
    return bavail * bsize < SHARED_MEMORY_BYTES || (files > 0 && ffree === 0);
  } catch {
    return false;
  }
}

function primaryCode(thrown: unknown): number | undefined {
  const { errcode } = (thrown ?? {}) as { errcode?: unknown };
  return typeof errcode === "number" ? errcode & 0xff : undefined;
}

const PAUSE_MS = 5;

/** One statement ignores SQLite's busy timeout. */
export function retryWhileBusy(act: () => void, limitMs: number): void {
  const end = performance.now() + limitMs;
  const never = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    try {
      act();
      return;
    } catch (thrown) {
      if (!isBusy(thrown) || performance.now() > end) throw thrown;
      Atomics.wait(never, 0, 0, PAUSE_MS);
    }
  }
}

export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw storeError("STORE_CORRUPT", "A record of the store is damaged: it is not valid JSON.", {
      cause: thrown,
    });
  }
}
