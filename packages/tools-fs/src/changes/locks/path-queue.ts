import type { FileSystem, HaftError } from "@haft/plugin-sdk";
import { fileToolError } from "../../errors.ts";

/**
 * One queue per real path for the whole process: changes of one file run in the order they were
 * called, changes of different files side by side. Held under a global symbol, so that two copies
 * of this package still queue together.
 */
interface PathQueues {
  /** The end of the queue of each path: resolves when the last one in it is done. */
  tails: Map<string, Promise<void>>;
  /** Calls enter in order while their paths are still being resolved. */
  gates: WeakMap<FileSystem, Promise<void>>;
}

const QUEUES = Symbol.for("haft.path-queues");

function queues(): PathQueues {
  const holder = globalThis as { [QUEUES]?: PathQueues };
  holder[QUEUES] ??= { tails: new Map(), gates: new WeakMap() };
  return holder[QUEUES];
}

/**
 * Runs `run` alone on its paths.
 *
 * @param resolve Finds the real paths and their keys. Called in call order, one at a time per
 *   file system, so that a slow look-up cannot let a later call overtake an earlier one.
 * @throws `ABORTED` when the signal fires while waiting; the call then never ran.
 */
export async function inPathQueue<Target extends { key: string }, Result>(
  fs: FileSystem,
  resolve: () => Promise<readonly Target[]>,
  run: (targets: readonly Target[]) => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  const { tails, gates } = queues();
  const before = gates.get(fs);
  const { promise: passed, resolve: leaveGate } = Promise.withResolvers<void>();
  gates.set(fs, passed);
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
  let keys: string[] = [];
  let tail: Promise<void> | undefined;
  try {
    let targets: readonly Target[];
    let ahead: Promise<void>[];
    try {
      await before;
      throwIfAborted(signal);
      targets = await resolve();
      keys = [...new Set(targets.map((target) => target.key))];
      ahead = keys.flatMap((key) => tails.get(key) ?? []);
      // Enqueued on all keys at once, without an await between: no two calls can wait for each other.
      tail = ahead.length === 0 ? finished : Promise.all(ahead).then(() => finished);
      for (const key of keys) tails.set(key, tail);
    } finally {
      leaveGate();
      if (gates.get(fs) === passed) gates.delete(fs);
    }
    if (ahead.length > 0) await abortable(Promise.all(ahead), signal);
    throwIfAborted(signal);
    return await run(targets);
  } finally {
    finish();
    // Not before those ahead are done: a call that gave up waiting must not let the next one overtake them.
    if (tail !== undefined) void forgetWhenDone(tails, keys, tail);
  }
}

async function forgetWhenDone(
  tails: Map<string, Promise<void>>,
  keys: readonly string[],
  tail: Promise<void>,
): Promise<void> {
  await tail;
  for (const key of keys) if (tails.get(key) === tail) tails.delete(key);
}

/** @throws `ABORTED` when the signal has fired. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw aborted();
}

function aborted(): HaftError {
  return fileToolError("ABORTED", "The call was aborted before anything was changed.");
}

function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(aborted());
    signal.addEventListener("abort", stop, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
