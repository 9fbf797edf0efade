import type { Records } from "../contract/records.ts";
import { folderRecords } from "../keys/folder-records.ts";

/**
 * Contains a node's record of a host.
 *
 * @example
 * ```ts
 * import type { KnownHost } from "@haft/nodes";
 * const describe = ({ name, pairedAt }: KnownHost) => `${name}, since ${new Date(pairedAt).toLocaleDateString()}`;
 * ```
 */
export interface KnownHost {
  /** Contains the host's stated name. */
  readonly name: string;
  /** Time of the pairing, in milliseconds since the epoch. */
  readonly pairedAt: number;
}

/**
 * Opens known hosts in a folder; removing a host's file forgets it.
 *
 * @throws HaftError at its use: `STATE_FOLDER_FAILED`, `NODE_RECORD_UNREADABLE`
 *
 * @example
 * ```ts
 * import { openKnownHosts } from "@haft/nodes";
 * const hosts = openKnownHosts("/var/lib/node/hosts");
 * for (const id of hosts.ids()) console.log(id, hosts.read(id)?.name);
 * ```
 */
export function openKnownHosts(folder: string): Records<KnownHost> {
  return folderRecords(folder, (value) => {
    const { name, pairedAt } = (value ?? {}) as Partial<KnownHost>;
    if (typeof name !== "string" || typeof pairedAt !== "number") throw new Error("it is not a host");
    return { name, pairedAt };
  });
}
