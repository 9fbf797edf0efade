import { attempt } from "@haft/workspace/internal/system";
import { type BigIntStats, fstatSync, lstatSync } from "node:fs";

/** What {@link stateOf} says of what is not there. */
export const NO_FILE = "none";

/**
 * Tells one content of a file from others; of what is not there, too.
 *
 * @param file a path, or a file that is open: what stands at the path may be another one by now
 */
export function stateOf(file: string | number): string {
  const stats = attempt<BigIntStats | undefined>(() =>
    typeof file === "number"
      ? fstatSync(file, { bigint: true })
      : lstatSync(file, { bigint: true, throwIfNoEntry: false }),
  );
  return stats === undefined
    ? NO_FILE
    : `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`;
}
