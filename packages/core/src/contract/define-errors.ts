import { withoutUndefined } from "@haft/utils";
import { type EffectReceipt, type ErrorCategory, type HaftErrorOptions, HaftError } from "./errors.ts";

/**
 * What all errors of one code share; also one row of the table of errors.
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
  /** The category of the error: who can do something about it. */
  category: ErrorCategory;
  /** What happened, for people who read about the code. Absent if only another package raises it. */
  meaning?: string;
  /** What to do next, as one sentence. An error can bring a better one. */
  fix?: string;
  /** What the failed operation left behind. An error can bring a more exact one. */
  receipt?: EffectReceipt;
}

/** A function that makes the errors of one package. */
export interface Errors<Code extends string> {
  /**
   * An error of this code.
   *
   * @param message What happened and why, in this case.
   * @param more Further facts of this case. Facts that are left out come from the catalogue.
   */
  (code: Code, message: string, more?: Partial<HaftErrorOptions>): HaftError;
  /** The catalogue that the function was made of. */
  readonly catalogue: Readonly<Record<Code, ErrorFacts>>;
}

/**
 * Defines the error catalogue of a package and returns a function that makes its errors. Each code is listed once, with the facts
 * that all its errors share; `catalogue` of the function has them.
 *
 * @param entries Returns the entries by code. It runs at the first use and gets one function for each category, which makes an entry of
 * its meaning, its fix and, if it never varies, its receipt.
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
  // Made when the first error is: most processes have none.
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
