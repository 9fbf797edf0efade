/** Small records by the id of whom they are about; several processes may have the same ones open. */
export interface Records<T> {
  /** All ids. */
  ids(): readonly string[];
  /** As it is now; `undefined` where there is none. */
  read(id: string): T | undefined;
  /** Puts it in the place of the one there is. */
  write(id: string, record: T): void;
  /** Removes it, if it is there. */
  remove(id: string): void;
}

/** Records that end with the process. */
export function memoryRecords<T>(): Records<T> {
  const all = new Map<string, T>();
  return {
    ids: () => [...all.keys()],
    read: (id) => all.get(id),
    write: (id, record) => void all.set(id, record),
    remove: (id) => void all.delete(id),
  };
}
