import { HaftError } from "@haft/core";
import { contentHash } from "./content-hash.ts";
import type { PlannedFile } from "./planned-tree.ts";

/**
 * Refuses a change whose author saw other content than there is now.
 *
 * @param ifMatch The `hash` a read, write or edit reported.
 * @throws `FILE_CHANGED`
 */
export function requireHash(file: PlannedFile, ifMatch: string | undefined): void {
  if (ifMatch === undefined) return;
  const path = file.target.path;
  const actual = file.before === undefined ? null : contentHash(file.before.bytes);
  if (actual === ifMatch.toLowerCase()) return;
  const what = actual === null ? "is not there any more" : "is not the file with this ifMatch hash any more";
  throw new HaftError("FILE_CHANGED", `${path} ${what}. Nothing was changed.`, {
    category: "operational",
    fix: "Read it again and decide anew.",
    details: { path, expected: ifMatch, actual },
    receipt: "none",
  });
}
