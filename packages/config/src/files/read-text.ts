import { readRegularFile } from "@haft/system";

/**
 * Reads text that a project, a package or a command can have put there, over a link at the end of the path. It waits for no pipe or
 * device, and reads a bounded number of bytes.
 *
 * @param largest bytes; 1 MiB by default
 * @throws what `readRegularFile` throws
 */
export function readText(path: string, largest?: number): string {
  const bytes = readRegularFile(path, {
    followLink: true,
    ...(largest !== undefined && { maxBytes: largest }),
  });
  return bytes.toString("utf8");
}
