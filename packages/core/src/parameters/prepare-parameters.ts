import { HaftError } from "../contract/errors.ts";
import { parseArgumentText } from "./argument-text.ts";
import { type CompiledSpec, getCompiledSpec, type ParameterizedTool } from "./compiled-spec.ts";
import {
  conflictingAliasesError,
  invalidArgumentsError,
  notAnObjectError,
  unreadableArgumentsError,
} from "./invalid-arguments.ts";
import { repairArguments } from "./repair.ts";
import { renameAliases } from "./schema/aliases.ts";
import { countAbortedChecks, runWithLimit } from "./schema/bounded-pattern.ts";
import { isPlainObject, type JsonObject } from "./schema/json-schema.ts";

export type PreparedArguments =
  | {
      ok: true;
      /** Canonical and valid. The very object that was given when nothing had to be repaired. */
      args: JsonObject;
      /** The arguments as the model wrote them, when they came as text. */
      rawText?: string;
      /** What was repaired, in words; empty for arguments that were right. */
      repairs: readonly string[];
      /** Their schema is one of a library, which has still to judge them: see {@link file://./validate-arguments.ts}. */
      pendingValidation?: PendingValidation;
    }
  | { ok: false; error: HaftError; rawText?: string };

export interface PendingValidation {
  validate: NonNullable<CompiledSpec["validate"]>;
  /** What the JSON Schema says is wrong: what the library makes of it counts, since it may take more. */
  doubt: HaftError | undefined;
}

const NO_REPAIRS: readonly string[] = Object.freeze([]);

/** Names models wrap whole arguments in. */
const WRAPPERS = ["arguments", "args", "input", "params", "parameters"];

/**
 * Makes a tool's arguments canonical and valid: parses them if they are text, repairs what has only
 * one possible reading, gives aliases their canonical names, validates. Never throws.
 *
 * Surplus parameters are refused unless the schema allows them explicitly (`additionalProperties`,
 * `patternProperties`) or declares none. Preparing what was prepared changes nothing.
 *
 * Errors: `INVALID_ARGUMENTS` (not JSON, or not what the tool asks for), `ARGUMENTS_TOO_LARGE`, `TOOL_INVALID` (the tool's own fault).
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
  if (compiled.validator.check(args))
    return { args: args as JsonObject, repairs, unjudged: leftTo(compiled) };
  return repairObject(tool, compiled, args, { repairs, givenUp });
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
  if (isPlainObject(args) && validator.check(args)) return { args, repairs, unjudged: leftTo(compiled) };
  const refusal = invalidArgumentsError(tool, validator.errors(args), unwrapped);
  if (compiled.validate === undefined || !isPlainObject(args)) throw refusal;
  // A library may take more than it tells. But what it has no name for it would drop without a word, and nothing ends its patterns.
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

/** `{ "arguments": { … } }` and its like, for a tool that has no such parameter. */
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
