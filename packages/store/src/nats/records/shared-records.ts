/** Configures `NatsStore.records`. */
export interface RecordsOptions<T> {
  /** Names the kind: letters, digits and `-`. */
  readonly kind: string;
  /** Converts a stored value to a record. Throws if it is invalid. */
  readonly parse: (value: unknown) => T;
  /** Returns whether a record, such as a revocation, overrides a concurrent write of another host. Default: no record is. */
  readonly prevails?: (record: T) => boolean;
}

/** Shares small records by id between all hosts of a store. Each host reads a local copy. */
export interface SharedRecords<T> {
  /** Returns all ids. */
  ids(): readonly string[];
  /**
   * Returns the current record, or `undefined`.
   *
   * @throws HaftError `NATS_FAILED` without the server, since another host may have revoked the record; `STORE_CORRUPT` for an unreadable
   * record or wrong seal
   */
  read(id: string): T | undefined;
  /** Writes a record, visible here at once. {@link settled} reports whether it was stored. */
  write(id: string, record: T): void;
  /** Removes a record, if it exists. */
  remove(id: string): void;
  /**
   * Resolves when all writes are stored.
   *
   * @throws HaftError `NATS_FAILED`, or `RECORD_CHANGED` if another host wrote first; its record remains
   */
  settled(): Promise<void>;
  /** Stops following the writes of other hosts. */
  close(): void;
}
