import type { Records } from "../contract/records.ts";
import { folderRecords } from "../keys/folder-records.ts";

/** A host that a node knows; kept. */
export interface KnownHost {
  /** As it called itself when they were paired. */
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly pairedAt: number;
}

/**
 * The hosts that a node knows, in a folder: a file for each. One whose file is removed is not known any more, at once.
 *
 * @throws HaftError when it is used: `STATE_FOLDER_FAILED`, `NODE_RECORD_UNREADABLE`
 */
export function openKnownHosts(folder: string): Records<KnownHost> {
  return folderRecords(folder, (value) => {
    const { name, pairedAt } = (value ?? {}) as Partial<KnownHost>;
    if (typeof name !== "string" || typeof pairedAt !== "number") throw new Error("it is no host");
    return { name, pairedAt };
  });
}
