import { lstatSync, unlinkSync } from "node:fs";
import type { Folder } from "../boundary/walk/folders.ts";
import { isAlive, type ProcessIdentity } from "../system/process-identity.ts";

/** Younger ones are left alone: a process elsewhere, of which nothing is known here, may share the folder. */
const ABANDONED_AFTER_MS = 60_000;

/** Removes a temporary file when the process that was writing it is gone. */
export function removeAbandoned(folder: Folder, name: string, writer: ProcessIdentity): void {
  if (isAlive(writer)) return;
  try {
    const entry = folder.entry(name);
    if (Date.now() - lstatSync(entry).mtimeMs > ABANDONED_AFTER_MS) unlinkSync(entry);
  } catch {
    // Somebody else removed it, or may not be disturbed.
  }
}
