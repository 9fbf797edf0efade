import { invalidOptions } from "./check-options.ts";
import { didYouMean, nearestNames } from "./schema/nearest.ts";

/** The name of each option there is: one that is forgotten here does not compile. */
export type OptionNames<Options> = { readonly [Key in keyof Options]-?: true };

/**
 * Refuses an option that does not exist: it would be ignored, and what it was to hold back would not be held back. For functions whose
 * options are no settings that people write; those have schemas ({@link checkOptions}).
 *
 * @param where whose options they are, for the message: `createFolderApprovals`
 * @throws HaftError `INVALID_OPTIONS`
 */
export function requireKnownOptions<Options extends object>(
  where: string,
  given: Options,
  names: OptionNames<Options>,
): void {
  if (typeof given !== "object" || given === null)
    throw invalidOptions(
      `${where} takes an object of options.`,
      `There are ${Object.keys(names).join(", ")}.`,
    );
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(names, name));
  if (unknown === undefined) return;
  const known = Object.keys(names);
  throw invalidOptions(
    `${where} has no option ${JSON.stringify(unknown)}.${didYouMean(nearestNames(unknown, known))}`,
    `There are ${known.join(", ")}.`,
  );
}
