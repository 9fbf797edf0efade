import { HaftError } from "../contract/errors.ts";
import { parseArgumentText } from "./argument-text.ts";
import { type CompiledSpec, getCompiledSpec, type ParameterizedTool } from "./compiled-spec.ts";
import { removeDefaultAt } from "./defaults.ts";
import {
  conflictingAliasesError,
  invalidArgumentsError,
  notAnObjectError,
  unreadableArgumentsError,
} from "./invalid-arguments.ts";
import { repairArguments } from "./repair.ts";
import { renameAliases } from "./schema/aliases.ts";
import { countAbortedChecks, runWithLimit } from "./schema/bounded-pattern.ts";
import type { Issue } from "./schema/issues.ts";
import { isPlainObject, type JsonObject } from "./schema/json-schema.ts";

export type PreparedArguments =
  | {
      ok: true;
      args: JsonObject;
      rawText?: string;
      repairs: readonly string[];
      pendingValidation?: PendingValidation;
    }
  | { ok: false; error: HaftError; rawText?: string };

export interface PendingValidation {
  validate: NonNullable<CompiledSpec["validate"]>;
  /** The library may accept more, so it decides. */
  doubt: HaftError | undefined;
}

const NO_REPAIRS: readonly string[] = Object.freeze([]);

const WRAPPERS = ["arguments", "args", "input", "params", "parameters"];

/**
 * Parses, repairs, renames and validates arguments, and fills in defaults of the JSON Schema. Never throws. A second preparation changes nothing.
 *
 * Unknown parameters are refused unless the schema declares none or allows them (`additionalProperties`, `patternProperties`).
 *
 * Errors: `INVALID_ARGUMENTS` (invalid JSON or values), `ARGUMENTS_TOO_LARGE`, `TOOL_INVALID` (error of the tool).
 */
export function prepareArguments(tool: ParameterizedTool, raw: unknown): PreparedArguments {
  const rawText = typeof raw === "string" ? raw : undefined;
  let result: Prepared;
  try {
    result = prepare(tool, raw);
  } catch (thrown) {
    const error = HaftError.is(thrown) ? thrown : unreadableArgumentsError(tool, thrown);
    return rawText === undefined ? { ok: false, error } : { ok: false, error, rawText };
  }
  const { args, repairs, unjudged } = result;
  if (unjudged !== undefined)
    return {
      ok: true,
      args,
      repairs,
      pendingValidation: unjudged,
      ...(rawText !== undefined && { rawText }),
    };
  return rawText === undefined ? { ok: true, args, repairs } : { ok: true, args, repairs, rawText };
}

interface Prepared {
  args: JsonObject;
  repairs: readonly string[];
  unjudged: PendingValidation | undefined;
}

function prepare(tool: ParameterizedTool, raw: unknown): Prepared {
  const compiled = getCompiledSpec(tool);
  const givenUp = countAbortedChecks();
  let args: unknown = raw ?? {};
  let repairs = NO_REPAIRS;
  if (typeof args === "string") ({ value: args, repairs } = parseArgumentText(args));
  args ??= {};
  if (compiled.validator.check(args)) {
    const filled = withDefaults(tool, compiled, args as JsonObject);
    return { args: filled, repairs, unjudged: leftTo(compiled) };
  }
  return repairObject(tool, compiled, args, { repairs, givenUp });
}

/** Leaves out each default that does not fit its schema, unless a parameter needs it. @throws `INVALID_ARGUMENTS` */
function withDefaults(
  tool: ParameterizedTool,
  { defaults, validator }: CompiledSpec,
  args: JsonObject,
): JsonObject {
  if (defaults === undefined) return args;
  const filled = defaults.fill(args);
  if (validator.check(filled)) return filled;
  const errors = validator.errors(filled);
  let isFitting = false;
  const removeAt = ({ path }: Issue): boolean => removeDefaultAt(filled, args, path);
  while (!isFitting && validator.issues(filled).filter(removeAt).length > 0)
    isFitting = validator.check(filled);
  const fitting = isFitting ? filled : args;
  if (defaults.areOptional(fitting)) return fitting;
  throw invalidArgumentsError(tool, errors, args);
}

function leftTo({ validate }: CompiledSpec, doubt?: HaftError): PendingValidation | undefined {
  return validate && { validate, doubt };
}

function repairObject(
  tool: ParameterizedTool,
  compiled: CompiledSpec,
  given: unknown,
  before: { repairs: readonly string[]; givenUp: number },
): Prepared {
  const repairs = [...before.repairs];
  const unwrapped = unwrap(given, compiled);
  if (unwrapped !== given) repairs.push("unwrapped the arguments");
  if (!isPlainObject(unwrapped)) throw notAnObjectError(tool, unwrapped);
  const renamed = renameAliases(unwrapped, compiled.aliases, (name) => compiled.known.names.has(name));
  if (renamed.conflict !== undefined) throw conflictingAliasesError(tool, renamed.conflict);
  repairs.push(...renamed.renamed);
  const { validator } = compiled;
  let args: unknown = renamed.args;
  if (!validator.check(args)) {
    const mended = repairArguments(compiled.schema, args, compiled.aliases);
    if (mended.conflict !== undefined) throw conflictingAliasesError(tool, mended.conflict);
    repairs.push(...mended.repairs);
    args = mended.value;
  }
  if (isPlainObject(args) && validator.check(args))
    return { args: withDefaults(tool, compiled, args), repairs, unjudged: leftTo(compiled) };
  const refusal = invalidArgumentsError(tool, validator.errors(args), unwrapped);
  if (compiled.validate === undefined || !isPlainObject(args)) throw refusal;
  // The library drops unknown names silently, and its patterns have no time limit.
  if (hasOtherNames(args, compiled) || countAbortedChecks() > before.givenUp) throw refusal;
  return { args, repairs, unjudged: leftTo(compiled, refusal) };
}

function hasOtherNames(args: JsonObject, { known }: CompiledSpec): boolean {
  const { names, patterns, open } = known;
  return (
    !open &&
    Object.keys(args).some(
      (name) => !names.has(name) && !patterns.some((each) => runWithLimit(() => each.test(name)) === true),
    )
  );
}

function unwrap(given: unknown, { known, aliases }: CompiledSpec): unknown {
  if (!isPlainObject(given)) return given;
  const [name, other] = Object.keys(given);
  if (name === undefined || other !== undefined || !WRAPPERS.includes(name)) return given;
  if (known.names.has(name) || aliases.has(name)) return given;
  const inner = given[name];
  if (isPlainObject(inner)) return inner;
  if (typeof inner !== "string" || !/^\s*\{/.test(inner)) return given;
  const parsed = parseArgumentText(inner).value;
  return isPlainObject(parsed) ? parsed : given;
}
