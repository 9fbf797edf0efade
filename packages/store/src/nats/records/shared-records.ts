/** Configures `NatsStore.records` for one kind of records. */
export interface RecordsOptions<T> {
  /** Names the kind: letters, digits and `-`. */
  readonly kind: string;
  /** Converts a stored value to a record. Throws if it is invalid. */
  readonly parse: (value: unknown) => T;
  /** Returns whether a record is stored even if another host has written in the meantime, such as a revocation. Default: no record is. */
  readonly prevails?: (record: T) => boolean;
}

/** Shares small records by id between all hosts of a store. Each host reads a local copy that follows the others' writes. */
export interface SharedRecords<T> {
  /** Returns all ids. */
  ids(): readonly string[];
  /**
   * Returns the current record; `undefined` if there is none.
   *
   * @throws HaftError `NATS_FAILED` while the server cannot be reached, because another host may have revoked the record; `STORE_CORRUPT`
   * if the record cannot be read or its seal is wrong
   */
  read(id: string): T | undefined;
  /** Writes a record. Reads of this host see it immediately; {@link settled} reports whether it was stored. */
  write(id: string, record: T): void;
  /** Removes a record, if it exists. */
  remove(id: string): void;
  /**
   * Resolves when all writes are stored.
   *
   * @throws HaftError `NATS_FAILED`, or `RECORD_CHANGED` if another host wrote first; the record of that host then remains
   */
  settled(): Promise<void>;
  /** Stops following the writes of other hosts. */
  close(): void;
}
