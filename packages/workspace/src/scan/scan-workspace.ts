import type { ScanEntry, ScanOptions, ScanPage } from "@haft/core";
import type { ReadBoundary } from "../boundary/host.ts";
import type { BoundaryOptions } from "../boundary/open-boundary.ts";
import { HostScan } from "./host-scan.ts";
import { readOuterIgnores } from "./read-outer-ignores.ts";
import type { OuterIgnores } from "./scan-files.ts";
import { chooseThread, ThreadFailed } from "./scan-threads.ts";

/** The first page needs no thread: most searches end with it. */
const FIRST_PAGE = { entries: 256, milliseconds: 8 };
/** Pages without a thread, so that other work can run between them. */
const PLAIN_PAGE = { entries: 1024, milliseconds: 4 };
/** Limits filtered pages ahead of the consumer. */
const MAX_AHEAD = 8;

interface HostScanRequest {
  boundary: ReadBoundary;
  settings: BoundaryOptions;
  path: string;
  options: ScanOptions;
}

/** Scans a folder of the host: the first page on this thread, the others on threads. */
export async function scanWorkspace(request: HostScanRequest): Promise<AsyncIterable<ScanPage>> {
  const { boundary, path, options } = request;
  const { mount } = boundary.walk.resolve({ verb: "list", path });
  const outer =
    options.includeIgnored === true ? undefined : await readOuterIgnores(mount.path, boundary.home);
  const scan = new HostScan(boundary, path, options, outer);
  return followPages(request, scan.next(FIRST_PAGE), scan, outer);
}

async function* followPages(
  { boundary, settings, path, options: { signal, ...options } }: HostScanRequest,
  first: ScanPage,
  scan: HostScan,
  outer: OuterIgnores | undefined,
): AsyncGenerator<ScanPage, void> {
  scan.close();
  yield first;
  if (first.isLast) return;
  let last = first.last;
  const rest = (): ScanOptions =>
    last === undefined ? options : { ...options, after: last, inclusive: false };
  const walk = { boundary: settings, path, options: rest(), outer };
  const { text } = options;
  try {
    const pages = threadPages(walk, (page) => (last = page.last ?? last), signal);
    yield* text === undefined ? pages : filteredPages(pages, { boundary: settings, path, text });
  } catch (thrown) {
    if (!(thrown instanceof ThreadFailed)) throw thrown;
    yield* plainPages(new HostScan(boundary, path, rest(), outer), signal);
  }
}

async function* threadPages(
  request: ThreadScan,
  onPage: (page: ScanPage) => void,
  signal: AbortSignal | undefined,
): AsyncGenerator<ScanPage, void> {
  const thread = chooseThread();
  const opened = await thread.run({ kind: "open", request });
  const scan = opened.job;
  let page = pageOf(opened);
  try {
    while (!page.isLast) {
      signal?.throwIfAborted();
      const next = thread.run({ kind: "page", scan });
      // The consumer may end the scan before it.
      next.catch(() => {});
      onPage(page);
      yield page;
      page = pageOf(await next);
    }
    onPage(page);
    yield page;
  } finally {
    if (!page.isLast) void thread.run({ kind: "close", scan }).catch(() => {});
  }
}

type ThreadScan = Extract<Parameters<ReturnType<typeof chooseThread>["run"]>[0], { kind: "open" }>["request"];
type Filter = Omit<
  Extract<Parameters<ReturnType<typeof chooseThread>["run"]>[0], { kind: "filter" }>,
  "kind" | "entries"
>;

function pageOf(answer: object): ScanPage {
  if ("page" in answer) return answer.page as ScanPage;
  throw new ThreadFailed("it gave no page");
}

/** Filters several pages at once, and returns them in order. */
async function* filteredPages(
  pages: AsyncIterable<ScanPage>,
  filter: Filter,
): AsyncGenerator<ScanPage, void> {
  const queue: Promise<ScanPage>[] = [];
  for await (const page of pages) {
    queue.push(filterPage(page, filter));
    if (queue.length >= MAX_AHEAD) yield queue.shift()!;
  }
  yield* queue;
}

async function filterPage(page: ScanPage, filter: Filter): Promise<ScanPage> {
  if (page.entries.length === 0) return page;
  try {
    const answer = await chooseThread().run({ kind: "filter", entries: page.entries, ...filter });
    return { ...page, entries: (answer as { entries: ScanEntry[] }).entries };
  } catch {
    // The reader searches all files of the page.
    return page;
  }
}

async function* plainPages(scan: HostScan, signal: AbortSignal | undefined): AsyncGenerator<ScanPage, void> {
  try {
    for (;;) {
      signal?.throwIfAborted();
      const page = scan.next(PLAIN_PAGE);
      yield page;
      if (page.isLast) return;
      await new Promise((resolve) => setImmediate(resolve));
    }
  } finally {
    scan.close();
  }
}
