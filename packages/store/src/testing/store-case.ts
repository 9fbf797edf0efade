/**
 * Describes a test case for stores, for any test runner.
 *
 * @example
 * ```ts
 * import type { StoreCase } from "@haft/store/testing";
 * declare const cases: readonly StoreCase[];
 * for (const { name, run } of cases) await run().catch((error) => console.error(name, error));
 * ```
 */
export interface StoreCase {
  /** Names the case: a sentence without a full stop. */
  readonly name: string;
  /** Runs the case. Rejects on failure. */
  run(): Promise<void>;
}
