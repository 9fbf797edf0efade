import type { Mount } from "@haft/plugin-sdk";
import { fileToolError } from "../../errors.ts";
import { getStepPaths, type TransactionStep } from "../journal/transaction.ts";
import { contentHash } from "../text/content-hash.ts";
import type { PlannedFile } from "./planned-tree.ts";

/**
 * Rejects a change if the content differs from the version that its author saw.
 *
 * @param ifMatch The `hash` of a read, write or edit.
 * @throws `FILE_CHANGED`
 */
export function requireHash(file: PlannedFile, ifMatch: string | undefined): void {
  if (ifMatch === undefined) return;
  const path = file.target.path;
  const actual = file.before === undefined ? null : contentHash(file.before.bytes);
  if (actual === ifMatch.toLowerCase()) return;
  const what = actual === null ? "does not exist any more" : "no longer has this ifMatch hash";
  throw fileToolError("FILE_CHANGED", `${path} ${what}. Nothing was changed.`, {
    fix: "Read it again and repeat the change.",
    details: { path, expected: ifMatch, actual },
    receipt: "none",
  });
}

export function requireWritable(steps: readonly TransactionStep[], mounts: readonly Mount[]): void {
  if (mounts.every(({ access }) => access === "rw")) return;
  for (const path of steps.flatMap(getStepPaths)) {
    const inside = mounts.filter((mount) => path === mount.path || path.startsWith(`${mount.path}/`));
    const innermost = inside.toSorted((a, b) => b.path.length - a.path.length)[0];
    if (innermost?.access !== "ro") continue;
    const message = `${path} is in a read-only root of the workspace. Nothing was changed.`;
    throw fileToolError("READ_ONLY", message, { details: { path, root: innermost.name } });
  }
}
