import { readRegularFile } from "./read-regular-file.ts";

/**
 * Reads a text file that a project, a package or a command may have written, with {@link readRegularFile}. It follows a link at the end of
 * the path.
 *
 * @param path The path of the file.
 * @param largest The largest size in bytes (default 1 MiB).
 * @throws the errors of {@link readRegularFile}
 * @example
 * ```ts
 * import { readText } from "@haft/system";
 * const manifest = JSON.parse(readText("/srv/project/package.json"));
 * ```
 */
export function readText(path: string, largest?: number): string {
  const bytes = readRegularFile(path, {
    followLink: true,
    ...(largest !== undefined && { maxBytes: largest }),
  });
  return bytes.toString("utf8");
}
