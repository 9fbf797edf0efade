import type { ScanOptions } from "@haft/core";
import type { ReadBoundary } from "../boundary/host.ts";
import { chooseFiles } from "../scan/filter-files.ts";
import { HostScan } from "../scan/host-scan.ts";
import { createLinearFilter, type TextFilter } from "../scan/text-filter.ts";
import type { ScanAnswer, ScanQuery } from "../wire/protocol.ts";

/** A page must fit the head of a frame, also with the longest paths. */
const PAGE = { entries: 384, milliseconds: 50 };
/** Limits open scans. A forgotten scan begins again after its last page. */
const MAX_SCANS = 16;

interface OpenScan {
  pages: HostScan;
  filter: TextFilter | undefined;
}

export function serveScans(boundary: ReadBoundary): (path: string, query: ScanQuery) => ScanAnswer | null {
  const scans = new Map<number, OpenScan>();
  let count = 0;
  const close = (scan: number): void => {
    scans.get(scan)?.pages.close();
    scans.delete(scan);
  };
  const open = (scan: number, path: string, options: ScanOptions): OpenScan => {
    if (scans.size >= MAX_SCANS) close(scans.keys().next().value!);
    // An expression could block this process, which also ends commands.
    const filter = options.text && createLinearFilter(options.text);
    const opened = { pages: new HostScan(boundary, path, options, undefined), filter };
    scans.set(scan, opened);
    return opened;
  };
  return (path, { scan = (count += 1), end = false, ...options }) => {
    if (end) {
      close(scan);
      return null;
    }
    const { pages, filter } = scans.get(scan) ?? open(scan, path, options);
    const page = pages.next(PAGE);
    if (page.isLast) scans.delete(scan);
    const entries =
      filter === undefined ? page.entries : page.entries.filter(chooseFiles(boundary, path, filter));
    return { ...page, entries, scan };
  };
}
