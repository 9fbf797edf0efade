import { parentPort } from "node:worker_threads";
import type { ReadBoundary } from "../boundary/host.ts";
import { type BoundaryOptions, openBoundary } from "../boundary/open-boundary.ts";
import { createCheckedFolders } from "../boundary/walk/checked-folders.ts";
import { createKernelFolders } from "../boundary/walk/kernel-folders.ts";
import { chooseFiles } from "./filter-files.ts";
import { HostScan } from "./host-scan.ts";
import { type JobMessage, packPage, type ScanJob, unpackPage } from "./scan-protocol.ts";
import { createTextFilter, type TextFilter } from "./text-filter.ts";

const PAGE = { entries: 512, milliseconds: 20 };
/** Limits boundaries, filters and scans. The caller of a closed scan continues without threads. */
const MAX_KNOWN = 16;

const boundaries = new Map<string, ReadBoundary>();
const filters = new Map<string, TextFilter>();
const scans = new Map<number, HostScan>();

function known<Value>(map: Map<string, Value>, key: string, create: () => Value): Value {
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
      if (scans.size >= MAX_KNOWN) closeScan(scans.keys().next().value!);
      scans.set(job, new HostScan(openKnownBoundary(boundary), path, options, outer));
      return nextPage(job);
    }
    case "page":
      return nextPage(work.scan);
    case "close":
      closeScan(work.scan);
      return {};
    case "filter": {
      const { boundary, path, text, page } = work.request;
      const filter = known(filters, JSON.stringify(text), () => createTextFilter(text));
      const isChosen = chooseFiles(openKnownBoundary(boundary), path, filter);
      const { entries } = unpackPage(page);
      return { chosen: Uint16Array.from(entries.keys()).filter((at) => isChosen(entries[at]!)) };
    }
  }
}

function closeScan(scan: number): void {
  scans.get(scan)?.close();
  scans.delete(scan);
}

function nextPage(scan: number): object {
  const found = scans.get(scan);
  if (found === undefined) throw new Error("The scan is unknown.");
  const page = found.next(PAGE);
  if (page.isLast) scans.delete(scan);
  return { page: packPage(page) };
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
