import type { Link } from "../connection/link.ts";
import type { LeaseTimes } from "./lease-times.ts";
import type { RunEntry, RunsBucket } from "./runs-bucket.ts";

/** Milliseconds between looks at the clock, which sleep may have moved. */
const LOOK_MS = 1_000;

/**
 * Waits until nobody has a run any more: its holder closed it, or gave no sign for so long that it may not act any more.
 * Answers what was last seen, which whoever takes it has to name; `undefined`: the run is gone.
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
  let tell = () => {};
  const watching = await watch(link, runs, seen, () => tell());
  try {
    while (entry?.holder !== undefined && clock() - since < takeMs) {
      const left = takeMs - (clock() - since);
      const { promise, resolve } = Promise.withResolvers<void>();
      tell = resolve;
      const timer = setTimeout(resolve, Math.min(left, LOOK_MS));
      signal?.addEventListener("abort", () => resolve(), { once: true });
      await promise;
      clearTimeout(timer);
      signal?.throwIfAborted();
      if (!watching.changed) continue;
      // While the server is away, it is looked for again.
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

/** Only makes it faster: a run is taken by naming the change that was seen last, so one that was not heard of is in the way. */
async function watch(link: Link, runs: RunsBucket, { run, revision }: RunEntry, tell: () => void) {
  const changes = await link.ask("The run could not be watched", () =>
    link.runs.watch({ key: runs.getKey(run) }),
  );
  const watching = { changed: false, stop: () => changes.stop() };
  void (async () => {
    for await (const change of changes) {
      if (change.revision === revision) continue;
      watching.changed = true;
      tell();
    }
  })();
  return watching;
}
