import { HaftError } from "../../contract/errors.ts";
import { didYouMean, nearestNames } from "./nearest.ts";

/** The name of each option there is: one that is forgotten here does not compile. */
export type OptionNames<Options> = { readonly [Key in keyof Options]-?: true };

/**
 * Refuses an option that does not exist: it would be ignored, and what it was to hold back would not be held back. For functions whose
 * options are no settings that people write; those have schemas (`checkOptions`).
 *
 * @param where whose options they are, for the message: `createMemoryApprovals`
 * @throws HaftError `INVALID_OPTIONS`
 */
export function requireKnownOptions<Options extends object>(
  where: string,
  given: Options,
  names: OptionNames<Options>,
): void {
  if (typeof given !== "object" || given === null)
    throw unknownOption(`${where} takes an object of options.`, names);
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(names, name));
  if (unknown === undefined) return;
  const meant = didYouMean(nearestNames(unknown, Object.keys(names)));
  throw unknownOption(`${where} has no option ${JSON.stringify(unknown)}.${meant}`, names);
}

function unknownOption(message: string, names: object): HaftError {
  const fix = `There are ${Object.keys(names).join(", ")}.`;
  // As the catalogue has it, which small programs that check options do without.
  return new HaftError("INVALID_OPTIONS", message, { category: "input", fix, receipt: "none" });
}
