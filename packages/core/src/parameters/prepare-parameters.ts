import { HaftError, messageOf } from "../contract/errors.ts";
import { coreError } from "../errors.ts";
import { parseArgumentText } from "./argument-text.ts";
import { repairArguments } from "./repair.ts";
import { type AliasTable, aliasTable, renameAliases } from "./schema/aliases.ts";
import { cut, describeSchema, describeValue, type ParameterIssue } from "./schema/issues.ts";
import {
  isPlainObject,
  type JsonObject,
  type KnownNames,
  knownNames,
  schemaInvalid,
  SchemaReferences,
} from "./schema/json-schema.ts";
import { compileValidator, type Validator } from "./schema/validator.ts";

/** The part of a tool its parameters depend on. */
export interface ParameterizedTool {
  name: string;
  parameters: unknown;
  aliases?: Readonly<Record<string, readonly string[]>>;
}

/** What a tool accepts, compiled. */
export interface CompiledSpec {
  validator: Validator;
  aliases: AliasTable;
  known: KnownNames;
}

const specs = new WeakMap<ParameterizedTool, CompiledSpec>();

/**
 * The one spec of a tool object. Schemas are compiled when they have earned it: with the first call.
 *
 * @throws `SCHEMA_INVALID` for a malformed schema or contradicting aliases, each time it is asked.
 */
export function compiledSpecOf(tool: ParameterizedTool): CompiledSpec {
  let spec = specs.get(tool);
  if (spec === undefined) specs.set(tool, (spec = compileSpec(tool)));
  return spec;
}

/** Arguments ready for a tool, or why they are not. */
export type PreparedArguments =
  | {
      ok: true;
      /** Canonical and valid. The very object that was given when nothing had to be repaired. */
      args: JsonObject;
      /** The arguments as the model wrote them, when they came as text. */
      rawText?: string;
      /** What was repaired, in words; empty for arguments that were right. */
      repairs: readonly string[];
    }
  | { ok: false; error: HaftError; rawText?: string };

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
 * Errors: `MALFORMED_ARGUMENTS` (not JSON), `ARGUMENTS_TOO_LARGE`, `INVALID_ARGUMENTS` (JSON, but not
 * what the tool asks for), `SCHEMA_INVALID` (the tool's own fault).
 */
export function prepareArguments(tool: ParameterizedTool, raw: unknown): PreparedArguments {
  const rawText = typeof raw === "string" ? raw : undefined;
  let result: { args: JsonObject; repairs: readonly string[] };
  try {
    result = prepare(tool, raw);
  } catch (thrown) {
    const error = HaftError.is(thrown) ? thrown : unreadable(tool, thrown);
    return rawText === undefined ? { ok: false, error } : { ok: false, error, rawText };
  }
  const { args, repairs } = result;
  return rawText === undefined ? { ok: true, args, repairs } : { ok: true, args, repairs, rawText };
}

function prepare(tool: ParameterizedTool, raw: unknown): { args: JsonObject; repairs: readonly string[] } {
  const compiled = compiledSpecOf(tool);
  let args: unknown = raw ?? {};
  let repairs = NO_REPAIRS;
  if (typeof args === "string") ({ value: args, repairs } = parseArgumentText(args));
  args ??= {};
  if (compiled.validator.check(args)) return { args: args as JsonObject, repairs };
  return repairObject(tool, compiled, args, repairs);
}

function repairObject(
  tool: ParameterizedTool,
  compiled: CompiledSpec,
  given: unknown,
  before: readonly string[],
): { args: JsonObject; repairs: readonly string[] } {
  const repairs = [...before];
  const unwrapped = unwrap(given, compiled);
  if (unwrapped !== given) repairs.push("unwrapped the arguments");
  if (!isPlainObject(unwrapped)) throw notAnObject(tool, unwrapped);
  const renamed = renameAliases(unwrapped, compiled.aliases, (name) => compiled.known.names.has(name));
  if (renamed.conflict !== undefined) throw conflicting(tool, renamed.conflict);
  repairs.push(...renamed.renamed);
  const { validator } = compiled;
  let args: unknown = renamed.args;
  if (!validator.check(args)) {
    const mended = repairArguments(tool.parameters, args, compiled.aliases);
    if (mended.conflict !== undefined) throw conflicting(tool, mended.conflict);
    repairs.push(...mended.repairs);
    args = mended.value;
  }
  if (!isPlainObject(args) || !validator.check(args)) throw invalid(tool, validator.errors(args), unwrapped);
  return { args, repairs };
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

function compileSpec(tool: ParameterizedTool): CompiledSpec {
  const schema = tool.parameters;
  if (!isPlainObject(schema)) throw schemaInvalid("", "parameters must be a JSON Schema object");
  const type = schema["type"];
  if (type !== undefined && type !== "object")
    throw schemaInvalid("type", "parameters must describe an object");
  const known = knownNames(schema, new SchemaReferences(schema));
  if (known.names.has("__proto__")) throw schemaInvalid("properties", "__proto__ cannot be a parameter");
  const aliases = aliasTable(tool.aliases, schema, known);
  return { known, aliases, validator: compileValidator(schema, { closed: true, aliases }) };
}

const FIX = "Supply correct parameters";

function invalidArguments(tool: ParameterizedTool, problem: string, details: JsonObject): HaftError {
  return coreError("INVALID_ARGUMENTS", `Invalid arguments for ${tool.name}: ${problem}.`, {
    fix: `${FIX}: ${describeParameters(tool.parameters)}.`,
    details,
  });
}

function invalid(tool: ParameterizedTool, issues: ParameterIssue[], received: JsonObject): HaftError {
  const problems = issues.map((issue) => issue.message).join("; ");
  const summary = `${problems} (received: ${describeReceived(received)})`;
  return invalidArguments(tool, summary, { issues, received: Object.keys(received).slice(0, 50) });
}

function notAnObject(tool: ParameterizedTool, value: unknown): HaftError {
  return invalidArguments(tool, `they must be one JSON object, received ${describeValue(value)}`, {
    received: describeValue(value),
  });
}

function conflicting(tool: ParameterizedTool, [one, other]: readonly [string, string]): HaftError {
  return invalidArguments(tool, `${one} and ${other} are the same parameter, with different values`, {
    conflict: [one, other],
  });
}

function unreadable(tool: ParameterizedTool, thrown: unknown): HaftError {
  return invalidArguments(tool, `they cannot be read (${cut(messageOf(thrown), 200)})`, {});
}

/** `content=<empty string>, limit=5`: at most twelve parameters, long values counted instead of shown. */
function describeReceived(args: JsonObject): string {
  const names = Object.keys(args);
  if (names.length === 0) return "no parameters";
  const shown = names.slice(0, 12).map((name) => `${cut(name, 40)}=${describeMember(args[name])}`);
  return shown.join(", ") + (names.length > 12 ? `, and ${names.length - 12} more` : "");
}

function describeMember(value: unknown): string {
  const short = typeof value === "number" || typeof value === "boolean" || value === null;
  if (short || (typeof value === "string" && value !== "" && value.length <= 40))
    return JSON.stringify(value);
  return `<${describeValue(value)}>`;
}

/** `path (string), limit (integer, optional)`, canonical names only. */
function describeParameters(schema: unknown): string {
  const { properties, required } = schema as { properties?: unknown; required?: unknown };
  if (!isPlainObject(properties)) return "one JSON object";
  const needed = new Set(Array.isArray(required) ? (required as unknown[]) : []);
  const words = Object.entries(properties)
    .toSorted(([a], [b]) => Number(needed.has(b)) - Number(needed.has(a)))
    .slice(0, 12)
    .map(
      ([name, child]) => `${name} (${cut(describeSchema(child), 60)}${needed.has(name) ? "" : ", optional"})`,
    );
  return words.length === 0 ? "the tool takes none" : cut(words.join(", "), 600);
}
