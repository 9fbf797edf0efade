import { parentPort } from "node:worker_threads";
import type { ReadBoundary } from "../boundary/host.ts";
import { type BoundaryOptions, openBoundary } from "../boundary/open-boundary.ts";
import { createCheckedFolders } from "../boundary/walk/checked-folders.ts";
import { createKernelFolders } from "../boundary/walk/kernel-folders.ts";
import { filterFiles } from "./filter-files.ts";
import { HostScan } from "./host-scan.ts";
import type { JobMessage, ScanJob } from "./scan-protocol.ts";
import { createTextFilter, type TextFilter } from "./text-filter.ts";

const PAGE = { entries: 512, milliseconds: 20 };
/** Limits boundaries, filters and scans. Forgotten scans begin again. */
const MAX_KNOWN = 16;

const boundaries = new Map<string, ReadBoundary>();
const filters = new Map<string, TextFilter>();
const scans = new Map<number, HostScan>();

function known<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  let value = map.get(key);
  if (value !== undefined) return value;
  if (map.size >= MAX_KNOWN) map.delete(map.keys().next().value!);
  value = create();
  map.set(key, value);
  return value;
}

function openKnownBoundary(options: BoundaryOptions): ReadBoundary {
  return known(boundaries, JSON.stringify(options), () =>
    openBoundary(options, createKernelFolders() ?? createCheckedFolders()),
  );
}

function run(job: number, work: ScanJob): object {
  switch (work.kind) {
    case "open": {
      const { boundary, path, options, outer } = work.request;
      known(scans, job, () => new HostScan(openKnownBoundary(boundary), path, options, outer));
      return nextPage(job);
    }
    case "page":
      return nextPage(work.scan);
    case "close":
      scans.get(work.scan)?.close();
      scans.delete(work.scan);
      return {};
    case "filter": {
      const filter = known(filters, JSON.stringify(work.text), () => createTextFilter(work.text));
      return { entries: filterFiles(openKnownBoundary(work.boundary), work.path, work.entries, filter) };
    }
  }
}

function nextPage(scan: number): object {
  const found = scans.get(scan);
  if (found === undefined) throw new Error("The scan is unknown.");
  const page = found.next(PAGE);
  if (page.isLast) scans.delete(scan);
  return { page };
}

parentPort!.on("message", ({ job, work }: JobMessage) => {
  let answer: object;
  try {
    answer = run(job, work);
  } catch (thrown) {
    answer = { failed: String(thrown) };
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort!.postMessage({ job, ...answer });
});
