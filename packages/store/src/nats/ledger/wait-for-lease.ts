import type { Link } from "../connection/link.ts";
import type { LeaseTimes } from "./lease-times.ts";
import type { RunEntry, RunsBucket } from "./runs-bucket.ts";

/** The machine may sleep. */
const CHECK_MS = 1_000;

/**
 * Waits until a run is closed, or without a renewal for too long. Returns the last revision for the taker, or `undefined` for a removed
 * run.
 */
export async function waitForLease(
  link: Link,
  runs: RunsBucket,
  seen: RunEntry,
  { takeMs, clock }: LeaseTimes,
  signal: AbortSignal | undefined,
): Promise<RunEntry | undefined> {
  signal?.throwIfAborted();
  let entry: RunEntry | undefined = seen;
  let since = clock();
  let wake = () => {};
  const watching = await watch(link, runs, seen, () => wake());
  try {
    while (entry?.holder !== undefined && clock() - since < takeMs) {
      const left = takeMs - (clock() - since);
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      const timer = setTimeout(resolve, Math.min(left, CHECK_MS));
      signal?.addEventListener("abort", () => resolve(), { once: true });
      await promise;
      clearTimeout(timer);
      signal?.throwIfAborted();
      if (!watching.changed) continue;
      const now = await runs.get(seen.run).catch(() => null);
      if (now === null) continue;
      watching.changed = false;
      if (now?.revision === entry.revision) continue;
      entry = now;
      since = clock();
    }
    return entry;
  } finally {
    watching.stop();
  }
}

/** Only an optimization: a missed change causes a conflict. */
async function watch(link: Link, runs: RunsBucket, { run, revision }: RunEntry, wake: () => void) {
  const changes = await link.ask("The run could not be watched", () =>
    link.runs.watch({ key: runs.getKey(run) }),
  );
  const watching = { changed: false, stop: () => changes.stop() };
  void (async () => {
    for await (const change of changes) {
      if (change.revision === revision) continue;
      watching.changed = true;
      wake();
    }
  })();
  return watching;
}
