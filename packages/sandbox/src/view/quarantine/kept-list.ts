import { attempt, readRegularFile } from "@haft/workspace/internal/system";
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { nativePath } from "../../mounts/raw-path.ts";
import type { HiddenDeletion } from "../git-index/hide-deletions.ts";

export interface Kept {
  path: string;
  kept: string;
  /** Git tracks it, and does not report it as deleted; unless that could not be done yet. */
  git?: HiddenDeletion;
  /** Another git held the lock of the index when it was moved, so git can report it as deleted until the lock is gone. */
  isUnmarked?: true;
}

/** Bytes of a list that are read: many thousand files. */
const LARGEST_LIST = 64 * 1024 * 1024;

export function listKept(folder: string): Kept[] {
  const text = attempt(() =>
    readRegularFile(join(folder, "list.jsonl"), { largest: LARGEST_LIST }).toString(),
  );
  return (text ?? "").split("\n").flatMap((line) => {
    const one = attempt(() => JSON.parse(line) as Kept);
    const isHere = one !== undefined && attempt(() => lstatSync(nativePath(one.kept))) !== undefined;
    return isHere ? [one] : [];
  });
}
