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
  /** Absolute real path, equal in all processes. */
  real: string;
}

interface PathLockOptions {
  /** Time to wait for another process, in milliseconds (default 10,000). */
  waitMs?: number;
  /** Folder of the locks, shared by all processes of a user (default below `/dev/shm` or `/tmp`). */
  folder?: string;
  signal?: AbortSignal;
}

const MAX_PAUSE_MS = 10;

/**
 * Locks files against other Haft processes during planning and commit, because a file system cannot compare and rename in one step. File
 * versions reveal other programs.
 *
 * A lock is a symbolic link to the name of its owner: created atomically with its content. Locks of ended processes are broken. Without a
 * private folder, work continues without locks.
 *
 * @throws `FILE_BUSY` if another process holds a lock longer than the wait
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
    // All processes acquire locks in the same order, which prevents deadlocks.
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

/** Prefers memory: on a disk, a lock costs as much as a file. TMPDIR may differ between processes. */
function sharedFolder(): string | undefined {
  const user = process.getuid?.();
  if (user === undefined) return undefined;
  return [`/dev/shm/haft-locks-${user}`, `/tmp/haft-locks-${user}`].find(isPrivate);
}

const known = new Set<string>();

/** Other users could fake or block locks. */
function isPrivate(folder: string): boolean {
  if (known.has(folder)) return true;
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") return false;
  }
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  const isTrusted =
    stats?.isDirectory() === true && stats.uid === process.getuid?.() && (stats.mode & 0o077) === 0;
  if (isTrusted) known.add(folder);
  return isTrusted;
}

let counter = 0;
let thread: string | undefined;

/** Unique tokens distinguish a broken lock from its successor. */
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
      // The folder may have been removed.
      if (code !== "ENOENT" || !isPrivate(folder)) break;
    }
  }
  return "impossible";
}

function letGo(lock: string): void {
  try {
    unlinkSync(lock);
  } catch {
    // The folder may have been removed.
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

/** A second lock prevents two processes from breaking a new lock. */
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
