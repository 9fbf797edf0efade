/** One thing that every store does: for the `test` of whatever runs tests. */
export interface StoreCase {
  readonly name: string;
  /** Rejects where the store does something else. */
  run(): Promise<void>;
}
