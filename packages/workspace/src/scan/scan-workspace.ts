import type { ScanOptions, ScanPage } from "@haft/core";
import type { ReadBoundary } from "../boundary/host.ts";
import type { BoundaryOptions } from "../boundary/open-boundary.ts";
import { HostScan } from "./host-scan.ts";
import { type OuterIgnores, readOuterIgnores } from "./read-outer-ignores.ts";
import {
  type FilterRequest,
  type PackedPage,
  packPage,
  type ScanRequest,
  unpackPage,
} from "./scan-protocol.ts";
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
  const first = scan.next(FIRST_PAGE);
  scan.close();
  return followPages(request, first, outer);
}

async function* followPages(
  request: HostScanRequest,
  first: ScanPage,
  outer: OuterIgnores | undefined,
): AsyncGenerator<ScanPage, void> {
  yield first;
  if (first.isLast) return;
  const { settings, path, options } = request;
  const pages = laterPages(request, first.last, outer);
  const { text } = options;
  if (text === undefined) for await (const page of pages) yield unpackPage(page);
  else yield* filteredPages(pages, { boundary: settings, path, text });
}

/** If the thread fails, continues on this thread after the last page. */
async function* laterPages(
  { boundary, settings, path, options: { signal, ...options } }: HostScanRequest,
  from: string | undefined,
  outer: OuterIgnores | undefined,
): AsyncGenerator<PackedPage, void> {
  let last = from;
  const rest = (): ScanOptions =>
    last === undefined ? options : { ...options, after: last, inclusive: false };
  try {
    for await (const page of threadPages({ boundary: settings, path, options: rest(), outer }, signal)) {
      last = page.last ?? last;
      yield page;
    }
  } catch (thrown) {
    if (!(thrown instanceof ThreadFailed)) throw thrown;
    yield* plainPages(new HostScan(boundary, path, rest(), outer), signal);
  }
}

async function* threadPages(
  request: ScanRequest,
  signal: AbortSignal | undefined,
): AsyncGenerator<PackedPage, void> {
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
      yield page;
      page = pageOf(await next);
    }
    yield page;
  } finally {
    if (!page.isLast) void thread.run({ kind: "close", scan }).catch(() => {});
  }
}

function pageOf(answer: object): PackedPage {
  if ("page" in answer) return answer.page as PackedPage;
  throw new ThreadFailed("it gave no page");
}

/** Filters several pages at once, and returns them in order. After a failure, no other page is filtered. */
async function* filteredPages(
  pages: AsyncIterable<PackedPage>,
  filter: Omit<FilterRequest, "page">,
): AsyncGenerator<ScanPage, void> {
  const queue: Promise<ScanPage>[] = [];
  let isFiltering = true;
  const filterPage = async (page: PackedPage): Promise<ScanPage> => {
    if (!isFiltering || page.entries.types === "") return unpackPage(page);
    try {
      const request = { ...filter, page };
      const answer = await chooseThread().run({ kind: "filter", request });
      return unpackPage(page, (answer as { chosen: Uint16Array }).chosen);
    } catch {
      // The reader searches all files of the page.
      isFiltering = false;
      return unpackPage(page);
    }
  };
  for await (const page of pages) {
    queue.push(filterPage(page));
    if (queue.length >= MAX_AHEAD) yield queue.shift()!;
  }
  yield* queue;
}

async function* plainPages(
  scan: HostScan,
  signal: AbortSignal | undefined,
): AsyncGenerator<PackedPage, void> {
  try {
    for (;;) {
      signal?.throwIfAborted();
      const page = scan.next(PLAIN_PAGE);
      yield packPage(page);
      if (page.isLast) return;
      await new Promise((resolve) => setImmediate(resolve));
    }
  } finally {
    scan.close();
  }
}
