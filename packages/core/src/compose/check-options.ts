import type { HaftError } from "../contract/errors.ts";
import { coreError } from "../errors.ts";
import { nearestNames } from "./nearest.ts";

/** What an option may be: one of these kinds, one of some words, or an object whose options are checked, too. */
export type OptionCheck =
  | "any"
  | "text"
  | "function"
  | "milliseconds"
  | readonly string[]
  | { readonly [key: string]: OptionCheck };

/** A check for each option there is: a new one that is forgotten here does not compile. */
export type OptionChecks<Options> = { readonly [Key in keyof Options]-?: OptionCheck };

/**
 * Refuses options that do not exist. Without types a misspelled one would be ignored, and what it was to hold back
 * would not be held back.
 *
 * @param where whose options they are, for the message: `openSession`
 * @throws HaftError `INVALID_OPTIONS`
 */
export function checkOptions<Options extends object>(
  where: string,
  given: Options,
  checks: OptionChecks<Options>,
): void {
  checkObject(where, given, checks);
}

function checkObject(where: string, given: unknown, checks: Readonly<Record<string, OptionCheck>>): void {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw invalidOption(`${where} takes an object of options, and got ${nameOf(given)}.`, checks);
  }
  for (const [key, value] of Object.entries(given)) {
    if (!Object.hasOwn(checks, key)) throw unknown(where, key, checks);
    if (value !== undefined) checkOption(`${where}: ${key}`, value, checks[key]!);
  }
}

/** The same for one of them, which must be there. @throws HaftError `INVALID_OPTIONS` */
export function checkOption(where: string, value: unknown, check: OptionCheck): void {
  if (check === "any") return;
  if (check === "text") {
    if (typeof value === "string") return;
    throw invalidOption(`${where} is a text, and got ${nameOf(value)}.`);
  }
  if (check === "function") {
    if (typeof value === "function") return;
    throw invalidOption(`${where} is a function, and got ${nameOf(value)}.`);
  }
  if (check === "milliseconds") {
    if (typeof value === "number" && value >= 0) return;
    throw invalidOption(
      `${where} is a number of milliseconds, and got ${typeof value === "number" ? value : nameOf(value)}.`,
    );
  }
  if (isList(check)) {
    if (check.includes(value as string)) return;
    const near = typeof value === "string" ? nearestNames(value, check) : [];
    throw invalidOption(
      `${where} is one of ${check.join(", ")}, and got ${nameOf(value)}.${didYouMean(near)}`,
    );
  }
  checkObject(where, value, check);
}

/** `Array.isArray` does not tell readonly lists from records. */
function isList(check: OptionCheck): check is readonly string[] {
  return Array.isArray(check);
}

function unknown(where: string, key: string, checks: object): HaftError {
  const near = nearestNames(key, Object.keys(checks));
  return invalidOption(`${where} has no option ${JSON.stringify(key)}.${didYouMean(near)}`, checks);
}

function didYouMean(near: readonly string[]): string {
  return near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`;
}

function nameOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "string" ? JSON.stringify(value.slice(0, 100)) : typeof value;
}

/** What is wrong with an option, as a sentence. */
export function invalidOption(message: string, checks?: object): HaftError {
  return coreError("INVALID_OPTIONS", message, {
    fix: checks === undefined ? "Correct it." : `There are ${Object.keys(checks).join(", ")}.`,
    receipt: "none",
  });
}
