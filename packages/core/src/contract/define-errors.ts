import { withoutUndefined } from "@haft/utils";
import { type EffectReceipt, type ErrorCategory, type HaftErrorOptions, HaftError } from "./errors.ts";

/**
 * Describes the errors of a code.
 *
 * @example
 * ```ts run
 * import { defineErrors } from "@haft/core";
 *
 * const queueError = defineErrors(() => ({
 *   QUEUE_FULL: { category: "operational", meaning: "The queue takes no more jobs.", receipt: "none" },
 * }));
 * queueError("QUEUE_FULL", "The queue has 100 jobs.").receipt; // => "none"
 * queueError.catalogue.QUEUE_FULL.category; // => "operational"
 * ```
 */
export interface ErrorFacts {
  /** States who can act on the error. */
  category: ErrorCategory;
  /** Describes the failure in the table. Absent if another package raises the code. */
  meaning?: string;
  /** Suggests the default next step, as one sentence. */
  fix?: string;
  /** States the default effects of the failed operation. */
  receipt?: EffectReceipt;
}

/** Creates the errors of one package. */
export interface Errors<Code extends string> {
  /**
   * Creates an error. The catalogue supplies missing facts.
   *
   * @param message Cause in this case.
   */
  (code: Code, message: string, more?: Partial<HaftErrorOptions>): HaftError;
  /** Contains the entries by code. */
  readonly catalogue: Readonly<Record<Code, ErrorFacts>>;
}

/**
 * Defines the errors of a package, and returns a function that creates them.
 *
 * @param entries Returns the entries by code, at the first use. The function of a category makes an entry of meaning, fix and, if it never
 * varies, receipt.
 * @example
 * ```ts run
 * import { defineErrors } from "@haft/core";
 *
 * const weatherError = defineErrors(({ operational }) => ({
 *   STATION_SILENT: operational("The station does not answer.", "Ask again in a minute."),
 * }));
 * const error = weatherError("STATION_SILENT", "Station 7 did not answer within 5 s.");
 * error.fix; // => "Ask again in a minute."
 * ```
 */
export function defineErrors<const Catalogue extends Readonly<Record<string, ErrorFacts>>>(
  entries: (
    by: Readonly<
      Record<ErrorCategory, (meaning: string, fix: string, receipt?: EffectReceipt) => ErrorFacts>
    >,
  ) => Catalogue,
): Errors<keyof Catalogue & string> {
  const of = (category: ErrorCategory) => (meaning: string, fix: string, receipt?: EffectReceipt) =>
    withoutUndefined<ErrorFacts>({ category, meaning, fix, receipt });
  let known: Catalogue | undefined;
  // Built at the first error: most processes have none.
  const catalogue = () =>
    (known ??= entries({
      input: of("input"),
      policy: of("policy"),
      operational: of("operational"),
      internal: of("internal"),
    }));
  const make = (code: keyof Catalogue & string, message: string, more: Partial<HaftErrorOptions> = {}) => {
    const { category, fix, receipt } = catalogue()[code]!;
    return new HaftError(
      code,
      message,
      withoutUndefined<HaftErrorOptions>({ category, fix, receipt, ...more }),
    );
  };
  return Object.defineProperty(make, "catalogue", { get: catalogue, enumerable: true }) as Errors<
    keyof Catalogue & string
  >;
}
