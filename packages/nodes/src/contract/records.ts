/**
 * Stores small records by id. Several processes may use them.
 *
 * @example
 * ```ts
 * import type { NodePairing, Records } from "@haft/nodes";
 * declare const pairings: Records<NodePairing>;
 * const revoked = pairings.ids().filter((id) => pairings.read(id)?.revokedAt !== undefined);
 * for (const id of revoked) pairings.remove(id);
 * ```
 */
export interface Records<T> {
  /** Returns all ids. */
  ids(): readonly string[];
  /** Returns the record, if any. */
  read(id: string): T | undefined;
  /** Creates or replaces a record. */
  write(id: string, record: T): void;
  /** Removes a record, if it exists. */
  remove(id: string): void;
}

/**
 * Creates records in memory, which end with the process.
 *
 * @example
 * ```ts run
 * import { memoryRecords, type KnownHost } from "@haft/nodes";
 * const hosts = memoryRecords<KnownHost>();
 * hosts.write("laptop", { name: "Ada's laptop", pairedAt: Date.now() });
 * hosts.ids(); // => ["laptop"]
 * ```
 */
export function memoryRecords<T>(): Records<T> {
  const all = new Map<string, T>();
  return {
    ids: () => [...all.keys()],
    read: (id) => all.get(id),
    write: (id, record) => void all.set(id, record),
    remove: (id) => void all.delete(id),
  };
}
