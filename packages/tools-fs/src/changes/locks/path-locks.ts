import type { HaftError } from "@haft/plugin-sdk";
import { isAlive, type ProcessIdentity, getCurrentProcess } from "@haft/system";
import { sha256 } from "@haft/utils";
import { lstatSync, mkdirSync, readlinkSync, symlinkSync, unlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { LOCK_WAIT_MS } from "../../defaults.ts";
import { fileToolError } from "../../errors.ts";
import { EventLoopYielder } from "../../scheduling/event-loop-yielder.ts";
import { throwIfAborted } from "./path-queue.ts";

interface LockTarget {
  path: string;
  /** Absolute real path: equal in all processes. */
  real: string;
}

interface PathLockOptions {
  /** How long to wait for another process, in milliseconds (default 10,000). */
  waitMs?: number;
  /** Where the locks are; one place for all processes of a user (default below `/dev/shm` or `/tmp`). */
  folder?: string;
  signal?: AbortSignal;
}

/** Pauses between two tries grow up to this. */
const MAX_PAUSE_MS = 10;

/**
 * Holds files against other processes that use Haft, while a change is planned and carried out: a file
 * system can compare and it can rename, but not both in one step. Programs that know nothing of these
 * locks are still noticed by the versions of files, a moment later.
 *
 * A lock is a symbolic link that leads to the name of its owner: made in one step with its content, so
 * it is never seen half made, and for a few microseconds. The lock of a process that is gone is broken.
 * Where there is no folder for locks that others cannot meddle with, work goes on without them.
 *
 * @throws `FILE_BUSY` when another process keeps a file for longer than the wait.
 */
export async function withPathLocks<Result>(
  targets: readonly LockTarget[],
  run: () => Promise<Result>,
  { waitMs = LOCK_WAIT_MS, folder = sharedFolder(), signal }: PathLockOptions = {},
): Promise<Result> {
  if (folder === undefined || !isPrivate(folder)) return await run();
  const held: string[] = [];
  const turns = new EventLoopYielder();
  try {
    // All processes take theirs in the same order, so no two wait for each other.
    const locks = new Map(targets.map((target) => [lockOf(folder, target.real), target]));
    const until = performance.now() + waitMs;
    for (const [lock, target] of [...locks].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      await turns.pause();
      const outcome = await acquire(lock, until, signal);
      if (typeof outcome === "object") throw busy(target, lock, outcome, waitMs);
      if (outcome === "held") held.push(lock);
    }
    return await run();
  } finally {
    for (const lock of held) {
      letGo(lock);
      await turns.pause();
    }
  }
}

type Outcome = "held" | "impossible" | ProcessIdentity;

const lockOf = (folder: string, real: string): string => `${folder}/${sha256(real).slice(0, 32)}`;

/**
 * In memory where there is such a place, since on a disk making a lock costs as much as making a file. Not the folder
 * for temporary files of the environment: processes may differ in that.
 */
function sharedFolder(): string | undefined {
  const user = process.getuid?.();
  if (user === undefined) return undefined;
  return [`/dev/shm/haft-locks-${user}`, `/tmp/haft-locks-${user}`].find(isPrivate);
}

const known = new Set<string>();

/** Ours, and closed to everybody else: nobody can hold us up or pretend that a lock is free. */
function isPrivate(folder: string): boolean {
  if (known.has(folder)) return true;
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") return false;
  }
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  const own = stats?.isDirectory() === true && stats.uid === process.getuid?.() && (stats.mode & 0o077) === 0;
  if (own) known.add(folder);
  return own;
}

let counter = 0;
let thread: string | undefined;

/** Never the same twice, so that a lock that was broken is not taken for the one that follows it. */
function newToken(): string {
  const { pid, started } = getCurrentProcess();
  counter += 1;
  thread ??= crypto.randomUUID().slice(0, 8);
  return `${pid}:${started}:${thread}:${counter}`;
}

function ownerOf(token: string): ProcessIdentity {
  const [pid, started] = token.split(":");
  return { pid: Number(pid), started: Number(started) };
}

async function acquire(lock: string, until: number, signal: AbortSignal | undefined): Promise<Outcome> {
  for (let pause = 1; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
    const outcome = take(lock);
    if (outcome !== "taken") return outcome;
    const token = tokenAt(lock);
    if (token !== undefined) {
      const owner = ownerOf(token);
      if (!isAlive(owner) && (await breakLock(lock, token, until, signal))) continue;
      if (performance.now() >= until) return owner;
      await sleep(pause);
    }
    throwIfAborted(signal);
  }
}

function take(lock: string): "held" | "taken" | "impossible" {
  for (let tries = 0; tries < 2; tries += 1) {
    try {
      symlinkSync(newToken(), lock);
      return "held";
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EEXIST") return "taken";
      const folder = lock.slice(0, lock.lastIndexOf("/"));
      known.delete(folder);
      // Somebody may have tidied up the folder for temporary files.
      if (code !== "ENOENT" || !isPrivate(folder)) break;
    }
  }
  return "impossible";
}

/** What was done under a lock stays done, though the lock itself may be gone by now. */
function letGo(lock: string): void {
  try {
    unlinkSync(lock);
  } catch {
    // Tidied up by somebody else.
  }
}

function tokenAt(lock: string): string | undefined {
  try {
    return readlinkSync(lock);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Takes away what a dead process left. Whoever does that holds a lock on the lock, so that of two who
 * found it dead the second one does not take away what the first has got meanwhile.
 */
async function breakLock(
  lock: string,
  token: string,
  until: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const guard = `${lock}~`;
  if ((await acquire(guard, until, signal)) !== "held") return false;
  try {
    if (tokenAt(lock) === token) letGo(lock);
    return true;
  } finally {
    letGo(guard);
  }
}

function busy({ path }: LockTarget, lock: string, owner: ProcessIdentity, waitMs: number): HaftError {
  const message = `${path} is being changed by another process (${owner.pid}) and did not become free within ${waitMs} ms. Nothing was changed.`;
  const fix = "Repeat the call later; end that process if it hangs.";
  return fileToolError("FILE_BUSY", message, { fix, details: { path, pid: owner.pid, lock } });
}
