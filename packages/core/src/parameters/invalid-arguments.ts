import { truncate } from "@haft/utils";
import { type HaftError, getErrorMessage } from "../contract/errors.ts";
import { coreError } from "../errors.ts";
import { getCompiledSpec, type ParameterizedTool } from "./compiled-spec.ts";
import { describeSchema, describeValue, type ParameterIssue } from "./schema/issues.ts";
import { isPlainObject, type JsonObject } from "./schema/json-schema.ts";

const FIX = "Supply correct parameters";

function invalidArguments(tool: ParameterizedTool, problem: string, details: JsonObject): HaftError {
  return coreError("INVALID_ARGUMENTS", `Invalid arguments for ${tool.name}: ${problem}.`, {
    fix: `${FIX}: ${describeParameters(schemaOf(tool))}.`,
    details,
  });
}

export function invalidArgumentsError(
  tool: ParameterizedTool,
  issues: ParameterIssue[],
  received: JsonObject,
): HaftError {
  const problems = issues.map((issue) => issue.message).join("; ");
  const summary = `${problems} (received: ${describeReceived(received)})`;
  return invalidArguments(tool, summary, { issues, received: Object.keys(received).slice(0, 50) });
}

export function notAnObjectError(tool: ParameterizedTool, value: unknown): HaftError {
  return invalidArguments(tool, `they must be one JSON object, received ${describeValue(value)}`, {
    received: describeValue(value),
  });
}

export function conflictingAliasesError(
  tool: ParameterizedTool,
  [one, other]: readonly [string, string],
): HaftError {
  return invalidArguments(tool, `${one} and ${other} are the same parameter, with different values`, {
    conflict: [one, other],
  });
}

export function unreadableArgumentsError(tool: ParameterizedTool, thrown: unknown): HaftError {
  return invalidArguments(tool, `they cannot be read (${truncate(getErrorMessage(thrown), 200)})`, {});
}

function schemaOf(tool: ParameterizedTool): unknown {
  try {
    return getCompiledSpec(tool).schema;
  } catch {
    return tool.parameters;
  }
}

/** `content=<empty string>, limit=5`: at most 12 parameters; long values are counted. */
function describeReceived(args: JsonObject): string {
  const names = Object.keys(args);
  if (names.length === 0) return "no parameters";
  const shown = names.slice(0, 12).map((name) => `${truncate(name, 40)}=${describeMember(args[name])}`);
  return shown.join(", ") + (names.length > 12 ? `, and ${names.length - 12} more` : "");
}

function describeMember(value: unknown): string {
  const short = typeof value === "number" || typeof value === "boolean" || value === null;
  if (short || (typeof value === "string" && value !== "" && value.length <= 40))
    return JSON.stringify(value);
  return `<${describeValue(value)}>`;
}

function describeParameters(schema: unknown): string {
  const { properties, required } = schema as { properties?: unknown; required?: unknown };
  if (!isPlainObject(properties)) return "one JSON object";
  const needed = new Set(Array.isArray(required) ? (required as unknown[]) : []);
  const words = Object.entries(properties)
    .toSorted(([a], [b]) => Number(needed.has(b)) - Number(needed.has(a)))
    .slice(0, 12)
    .map(
      ([name, child]) =>
        `${name} (${truncate(describeSchema(child), 60)}${needed.has(name) ? "" : ", optional"})`,
    );
  return words.length === 0 ? "the tool takes none" : truncate(words.join(", "), 600);
}
