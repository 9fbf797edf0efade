import { attempt, isAlive } from "@haft/system";
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { nativePath } from "../../../mounts/raw-path.ts";
import { clearPath, readFileState } from "./replace-file.ts";
import { formatLockHolder } from "./start-lock-cleaner.ts";

const LARGEST_SETTINGS = 1024 * 1024;
/** For another writer, in wall-clock time. */
const WAIT_MS = 1000;
const STEP_MS = 10;
/** Git holds it only while it writes; commands can leave one. */
const ABANDONED_MS = 10_000;
const OURS = /^haft-(\d+)-(\d*)$/;

/** Never follows links or waits for pipes. */
export function readRegularBytes(path: string): Buffer | undefined {
  return attempt(() => {
    const file = openSync(nativePath(path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      return contentOf(file);
    } finally {
      closeSync(file);
    }
  });
}

function contentOf(file: number): Buffer | undefined {
  const stats = fstatSync(file);
  if (!stats.isFile() || stats.size > LARGEST_SETTINGS) return undefined;
  const bytes = Buffer.alloc(stats.size);
  return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, 0));
}

/** Holds git's lock, as a link with this process in its target. Ignores others after `passOverMs`. `undefined`: the lock stays held. */
export async function withGitLock<T>(
  path: string,
  work: () => T | Promise<T>,
  passOverMs = Infinity,
): Promise<{ value: T } | undefined> {
  const lock = `${path}.lock`;
  const begun = performance.now();
  for (let waited = 0; waited < WAIT_MS; waited = performance.now() - begun) {
    try {
      symlinkSync(formatLockHolder(), lock);
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== "EEXIST") throw thrown;
      if (waited >= passOverMs || isOld(lock)) clearPath(lock);
      else if (!removeAbandonedLock(lock)) await sleep(STEP_MS);
      continue;
    }
    try {
      return { value: await work() };
    } finally {
      attempt(() => unlinkSync(lock));
    }
  }
  return undefined;
}

function isOld(lock: string): boolean {
  const stats = lstatSync(lock, { throwIfNoEntry: false });
  return stats !== undefined && Date.now() - stats.ctimeMs > ABANDONED_MS;
}

/** Only locks of killed Haft processes. Returns true if removed. */
export function removeAbandonedLock(lock: string): boolean {
  const [, pid, started] = OURS.exec(attempt(() => readlinkSync(lock)) ?? "") ?? [];
  if (pid === undefined || isAlive({ pid: Number(pid), started: Number(started) })) return false;
  attempt(() => unlinkSync(lock));
  return true;
}

/** Replaces `from` in place: a new file would detach the mount. A killed write leaves the old or new settings. `undefined`: other text. */
export function overwriteSettings(path: string, from: Buffer, to: Buffer): { state: string } | undefined {
  const file = openSync(path, constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (contentOf(file)?.equals(from) !== true) return undefined;
    const length = Math.max(from.length, to.length);
    if (length > from.length) writeSync(file, lines(length - from.length), 0, null, from.length);
    writeSync(file, Buffer.concat([to, lines(length - to.length)]), 0, length, 0);
    ftruncateSync(file, to.length);
    const state = readFileState(file);
    return { state: contentOf(file)?.equals(to) === true ? state : "" };
  } finally {
    closeSync(file);
  }
}

function lines(count: number): Buffer {
  return Buffer.alloc(count, "\n");
}
