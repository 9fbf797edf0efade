/** One thing that every store does: for the `test` of whatever runs tests. */
export interface StoreCase {
  /** What it does, as a sentence without its end. */
  readonly name: string;
  /** Rejects where the store does something else. */
  run(): Promise<void>;
}
