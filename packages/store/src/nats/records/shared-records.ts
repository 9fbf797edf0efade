/** How records of one kind are kept. */
export interface RecordsOptions<T> {
  /** Which they are: letters, digits and `-`. */
  readonly kind: string;
  /** Makes a record of what is kept; throws for what is none. */
  readonly parse: (value: unknown) => T;
  /** Whether a record is kept whatever another host has written meanwhile: a revocation. None by default. */
  readonly prevails?: (record: T) => boolean;
}

/** Small records by their ids, the same at all hosts. Each reads its copy, which follows what the others write. */
export interface SharedRecords<T> {
  /** All ids. */
  ids(): readonly string[];
  /**
   * As it is now; `undefined` where there is none.
   *
   * @throws HaftError `NATS_FAILED` while the server is away, since another host may have revoked it by now; `STORE_CORRUPT` for
   * one that cannot be read, or has another seal
   */
  read(id: string): T | undefined;
  /** Puts it in the place of the one there is. Counts here at once; {@link settled} says whether it was kept. */
  write(id: string, record: T): void;
  /** Removes it, if it is there. */
  remove(id: string): void;
  /**
   * Once all that was written is kept.
   *
   * @throws HaftError why it is not: `NATS_FAILED`, or `RECORD_CHANGED` where another host was first; then its record counts
   */
  settled(): Promise<void>;
  /** Follows no more. */
  close(): void;
}
