import type { FileSystem, HaftError } from "@haft/plugin-sdk";
import { fileToolError } from "../../errors.ts";

/** One queue per real path for the whole process. A global symbol shares the queues between copies of this package. */
interface PathQueues {
  tails: Map<string, Promise<void>>;
  gates: WeakMap<FileSystem, Promise<void>>;
}

const QUEUES = Symbol.for("haft.path-queues");

function queues(): PathQueues {
  const holder = globalThis as { [QUEUES]?: PathQueues };
  holder[QUEUES] ??= { tails: new Map(), gates: new WeakMap() };
  return holder[QUEUES];
}

/**
 * Runs `run` exclusively on its paths.
 *
 * @param resolve Called in call order, one at a time per file system.
 * @throws `ABORTED` if the signal fires while waiting; the call then never ran
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
      // All keys are enqueued without an await between them, which prevents deadlocks.
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
    // An aborted call still waits for earlier calls, so the next call cannot overtake.
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

/** @throws `ABORTED` if the signal is aborted */
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
