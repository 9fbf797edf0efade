import { didYouMean, isObject, nearestNames } from "@haft/utils";
import { HaftError } from "../contract/errors.ts";
import { coreError } from "../errors.ts";
import { describeValue, formatPath, type Issue } from "./schema/issues.ts";
import { isPlainObject, type JsonSchema } from "./schema/json-schema.ts";
import { compileValidator, type Validator } from "./schema/validator.ts";

/** Adds further kinds of values to JSON Schema. */
export interface OptionSchema extends JsonSchema {
  readonly description?: string;
  readonly "haft:kind"?: "function" | "milliseconds" | "object" | "options" | "signal";
}

export type OptionSchemas<Options> = { readonly [Key in keyof Options]-?: OptionSchema };

export function optionsSchema<Options extends object>(
  properties: OptionSchemas<Options>,
  required: readonly (keyof Options & string)[] = [],
): OptionSchema {
  return { "haft:kind": "options", properties, required, additionalProperties: false };
}

/**
 * Rejects unknown and invalid options: otherwise, a misspelled restriction would be ignored.
 *
 * @param where Function of the options, for the message: `openSession`.
 * @param schema From {@link optionsSchema}; compiled at its first use.
 * @throws HaftError `INVALID_OPTIONS`, for the first problem
 */
export function checkOptions(where: string, given: unknown, schema: OptionSchema): void {
  const [issue] = checkValue(schema, given, 1);
  if (issue !== undefined) throw explain(where, issue, schema);
}

function explain(where: string, issue: Issue, schema: OptionSchema): HaftError {
  const { kind, path, expected, received, near, known } = issue;
  const meant = didYouMean(near);
  if (path.length === 0)
    return invalidOptions(`${where} takes an ${expected}, received ${received}.`, optionsOf(schema));
  if (kind !== "unknown") {
    const name = formatPath(path);
    const about = descriptionAt(schema, path);
    return invalidOptions(
      `${where}: ${name} must be ${expected}, received ${received}.${meant}`,
      about && `Correct ${name}: ${about}`,
    );
  }
  const location = [where, formatPath(path.slice(0, -1))].filter((part) => part !== "").join(": ");
  return invalidOptions(
    `${location} has no option ${JSON.stringify(path.at(-1))}.${meant}`,
    `Valid options: ${known.join(", ")}.`,
  );
}

function optionsOf({ properties }: OptionSchema): string {
  const names = isPlainObject(properties) ? Object.keys(properties) : [];
  return names.length === 0 ? "Correct it." : `Valid options: ${names.join(", ")}.`;
}

function descriptionAt(schema: unknown, path: Issue["path"]): string | undefined {
  let node: unknown = schema;
  for (const name of path) {
    const properties = isPlainObject(node) ? node["properties"] : undefined;
    node = isPlainObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  }
  return isPlainObject(node) && typeof node["description"] === "string" ? node["description"] : undefined;
}

/**
 * Returns an `INVALID_OPTIONS` error: category `input`, receipt `none`.
 *
 * @param message Describes the problem, as a sentence.
 * @param fix Suggests the next step, as a sentence. Default: `Correct it.`
 *
 * @example
 * ```ts
 * import { invalidOptions } from "@haft/core";
 * declare const bytes: number;
 * if (bytes < 1) throw invalidOptions("bytes is 1 or more.", "Leave it out for the default.");
 * ```
 */
export function invalidOptions(message: string, fix = "Correct it."): HaftError {
  return coreError("INVALID_OPTIONS", message, { fix, receipt: "none" });
}

/**
 * Rejects an object of the caller, such as a store, that lacks functions: it would fail at its first use.
 *
 * @throws HaftError `INVALID_OPTIONS`
 */
export function requireMethods(where: string, port: unknown, methods: readonly string[]): void {
  const missing = methods.find((name) => !isObject(port) || typeof port[name] !== "function");
  if (missing === undefined) return;
  throw invalidOptions(
    `${where} must be an object with the function ${missing}, received ${describeValue(port)}.`,
    `Functions that it needs: ${methods.join(", ")}.`,
  );
}

const compiled = new WeakMap<object, Validator>();

export function checkValue(schema: object, value: unknown, max?: number): readonly Issue[] {
  let validator = compiled.get(schema);
  if (validator === undefined) compiled.set(schema, (validator = compileValidator(schema)));
  return validator.issues(value, max);
}

export type OptionNames<Options> = { readonly [Key in keyof Options]-?: true };

/**
 * Throws for unknown options of functions: an ignored option could remove a protection. Settings of users have schemas instead.
 *
 * @param where Function of the options, for the message: `createMemoryApprovals`.
 * @throws HaftError `INVALID_OPTIONS`
 *
 * @example
 * ```ts
 * import { requireKnownOptions } from "@haft/plugin-sdk";
 *
 * interface ClockOptions {
 *   zone?: string;
 * }
 * export function createClock(options: ClockOptions = {}) {
 *   requireKnownOptions<ClockOptions>("createClock", options, { zone: true });
 *   return () => new Date().toLocaleTimeString("en", { timeZone: options.zone ?? "UTC" });
 * }
 * ```
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
  const fix = `Valid options: ${Object.keys(names).join(", ")}.`;
  return new HaftError("INVALID_OPTIONS", message, { category: "input", fix, receipt: "none" });
}
