import type { ScanOptions, ScanPage } from "@haft/core";
import { walkSteps } from "@haft/core/internal";
import type { ReadBoundary } from "../boundary/host.ts";
import type { OuterIgnores } from "./read-outer-ignores.ts";
import { HostScanFiles } from "./scan-files.ts";

export interface PageLimits {
  entries: number;
  milliseconds: number;
}

/** Walks folders of the host synchronously, page by page. */
export class HostScan {
  readonly #files: HostScanFiles;
  readonly #pages: Iterator<unknown, void>;
  #limits: PageLimits = { entries: 0, milliseconds: 0 };
  #end = 0;

  constructor(host: ReadBoundary, path: string, options: ScanOptions, outer: OuterIgnores | undefined) {
    this.#files = new HostScanFiles(host, outer);
    this.#pages = walkSteps(
      this.#files,
      path,
      options,
      ({ entries }) => entries.length >= this.#limits.entries || performance.now() > this.#end,
    );
  }

  next(limits: PageLimits): ScanPage {
    this.#limits = limits;
    this.#end = performance.now() + limits.milliseconds;
    try {
      const page = this.#pages.next().value as ScanPage;
      if (page.isLast) this.close();
      return page;
    } catch (thrown) {
      this.close();
      throw thrown;
    }
  }

  close(): void {
    this.#files.close();
  }
}
