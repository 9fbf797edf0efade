/** Something that is wrong with what was kept. */
export interface StoreProblem {
  /**
   * `STORE_CORRUPT`: it is there and cannot be read. `STORE_INCOMPLETE`: it is not there any more. `NATS_STREAM_UNFIT`: where it
   * is, it may get lost. Or why all of it cannot be looked at.
   */
  readonly code: string;
  /** What is wrong. */
  readonly message: string;
  /** What to do about it. */
  readonly fix: string;
}
