import { join } from "node:path";
import { createArtifactScanner, type ArtifactScannerOptions } from "./create-artifact-scanner.ts";
import { forEachUnfinishedScan } from "./scan-record.ts";

/** Completes scans of killed processes first: unknown changes since their last command began are its work. Returns sentences. */
export async function finishScans(
  options: Pick<ArtifactScannerOptions, "patterns" | "folder" | "homeDir" | "hidden" | "slackMs">,
): Promise<string[]> {
  const notices: string[] = [];
  await forEachUnfinishedScan(join(options.folder, "open"), async (left) => {
    const { roots, repositories, since } = left;
    const scanner = createArtifactScanner({ ...options, roots, repositories, resume: left });
    try {
      const isWhole = await scanner.finish();
      const found = scanner.report().notices;
      if (found.length > 0)
        notices.push(
          `A Haft process was killed here while contained commands ran, or before the scan of their files. Files since ${new Date(since).toISOString()} count as theirs:`,
          ...found,
        );
      return isWhole;
    } finally {
      await scanner.close();
    }
  });
  return notices;
}
