import { isObject, nearestNames } from "@haft/utils";
import type { ToolEffect } from "../contract/plan.ts";
import type { AnyTool } from "../contract/tool.ts";
import { messageWithCauses } from "../format/causes.ts";
import { findSpecProblem } from "../parameters/compiled-spec.ts";
import { readSchema } from "../parameters/read-schema.ts";
import { isStringArray } from "../parameters/schema/value-kinds.ts";
import { createHostsPlan, findHostsProblem } from "./declared-hosts.ts";
import { findMisspelledKey } from "./plugin-error.ts";

const KNOWN_EFFECTS: ReadonlySet<string> = new Set<ToolEffect>([
  "read",
  "write",
  "execute",
  "network",
  "message",
]);

/** Returns the problem of invalid effects, with the wrong value and the nearest effect. */
export function describeEffectsProblem(effects: unknown): string {
  const allowed = `effects must be a list of ${[...KNOWN_EFFECTS].join(", ")} ([] for a tool that only computes)`;
  if (!Array.isArray(effects)) return `${allowed}, received ${JSON.stringify(effects) ?? typeof effects}`;
  const wrong: unknown = effects.find((effect: unknown) => !KNOWN_EFFECTS.has(effect as ToolEffect));
  const [near] = typeof wrong === "string" ? nearestNames(wrong, KNOWN_EFFECTS, 1) : [];
  const hint = near === undefined ? "" : `; did you mean ${JSON.stringify(near)}?`;
  return `${allowed}, and contains ${JSON.stringify(wrong) ?? typeof wrong}${hint}`;
}
const NAME = /^[a-zA-Z][a-zA-Z0-9_-]{0,47}$/;
const PARTS = [
  "name",
  "label",
  "description",
  "parameters",
  "outputSchema",
  "effects",
  "hosts",
  "aliases",
  "otherNames",
  "groups",
  "mcp",
  "progress",
  "deadlineMs",
  "maxArgumentCharacters",
  "fillsDefaults",
] as const;
const KNOWN = [...PARTS, "execute", "plan", "wantsPlan"];

export interface ToolCheck {
  tool?: AnyTool;
  name?: string;
  problem?: string;
}

/**
 * Reads a foreign tool once; never throws.
 *
 * @param hosts Default hosts.
 * @param isBuiltIn Delays the check of the schema to the first call.
 */
export function checkTool(candidate: unknown, hosts?: readonly string[], isBuiltIn = false): ToolCheck {
  if (typeof candidate !== "object" || candidate === null)
    return { problem: `it is ${typeof candidate}, not an object` };
  const source = candidate as Record<string, unknown>;
  const copy: Record<string, unknown> = {};
  try {
    for (const part of PARTS) {
      const value = source[part];
      if (value !== undefined) copy[part] = value;
    }
    const slip = findMisspelledKey(candidate, KNOWN);
    if (slip !== undefined) return named(copy, `it has ${slip}`);
    const execute = source["execute"];
    if (typeof execute !== "function") return named(copy, "execute is not a function");
    // Bound to the original, so that class instances keep their `this`.
    copy["execute"] = execute.bind(candidate);
    for (const part of ["plan", "wantsPlan"]) {
      const method = source[part];
      if (method === undefined) continue;
      if (typeof method !== "function") return named(copy, `${part} is not a function`);
      copy[part] = method.bind(candidate);
    }
    // Copies values for policy, so that they cannot change later.
    for (const part of ["effects", "groups", "hosts"])
      if (Array.isArray(copy[part])) copy[part] = Object.freeze([...copy[part]]);
    const { mcp } = copy;
    if (isObject(mcp)) copy["mcp"] = Object.freeze({ server: mcp["server"], tool: mcp["tool"] });
    const problem =
      findProblem(copy) ??
      copySchemas(copy) ??
      (isBuiltIn ? undefined : findSpecProblem(copy as unknown as AnyTool));
    if (problem === undefined) addHosts(copy, hosts);
    return problem === undefined ? { tool: Object.freeze(copy) as unknown as AnyTool } : named(copy, problem);
  } catch (thrown) {
    return named(copy, `reading it threw: ${messageWithCauses(thrown)}`);
  }
}

function addHosts(copy: Record<string, unknown>, hosts: readonly string[] | undefined): void {
  if (hosts !== undefined) copy["hosts"] ??= Object.freeze([...hosts]);
  const plan = copy["plan"] === undefined ? createHostsPlan(copy["hosts"]) : undefined;
  if (plan !== undefined) copy["plan"] = plan;
}

function findProblem(tool: Record<string, unknown>): string | undefined {
  const { name, description, parameters, effects, groups, aliases, otherNames, progress } = tool;
  const { maxArgumentCharacters } = tool;
  if (typeof name !== "string" || !NAME.test(name))
    return "name must match [a-zA-Z][a-zA-Z0-9_-]*, at most 48 characters";
  if (typeof description !== "string" || description.trim() === "") return "description is missing";
  if (parameters === undefined || parameters === null)
    return "parameters is missing (is it called inputSchema? Haft tools have parameters: Type.Object({…}))";
  if (!isEffectArray(effects)) return describeEffectsProblem(effects);
  if (!isAbsentOr(groups, isStringArray)) return "groups must be a list of names";
  if (!isAbsentOr(tool["mcp"], isMcpTool)) return "mcp must be { server, tool } with two names";
  const host = findHostsProblem(tool["hosts"]);
  if (host !== undefined) return host;
  if (!isAbsentOr(aliases, (value) => isObject(value) && Object.values(value).every(isStringArray)))
    return "aliases must map a parameter to a list of its other spellings";
  if (!isAbsentOr(otherNames, (value) => isObject(value) && Object.values(value).every(isObject)))
    return "otherNames must map a name to { target? }";
  if (!isAbsentOr(progress, isProgress))
    return 'progress must be an object with lists (volatileArguments, volatileDetails), isPoll (true, false or a function) and identicalRepeat ("run" or "suppress")';
  if (!isAbsentOr(tool["deadlineMs"], (value) => Number.isFinite(value) && (value as number) >= 0))
    return "deadlineMs must be a number of milliseconds";
  if (!isAbsentOr(maxArgumentCharacters, (value) => Number.isSafeInteger(value) && (value as number) > 0))
    return "maxArgumentCharacters must be a whole number above 0";
  if (!isAbsentOr(tool["fillsDefaults"], (value) => typeof value === "boolean"))
    return "fillsDefaults must be true or false";
  return undefined;
}

/** Copies schemas, so that all users get the checked schema. */
function copySchemas(tool: Record<string, unknown>): string | undefined {
  const snapshot = readSchema(tool["parameters"], "parameters");
  if ("problem" in snapshot) return snapshot.problem;
  tool["parameters"] = snapshot.schema;
  return undefined;
}

function isProgress(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { volatileArguments, volatileDetails, isPoll, identicalRepeat } = value;
  return (
    isAbsentOr(volatileArguments, isStringArray) &&
    isAbsentOr(volatileDetails, isStringArray) &&
    isAbsentOr(isPoll, (one) => ["boolean", "function"].includes(typeof one)) &&
    isAbsentOr(identicalRepeat, (one) => one === "run" || one === "suppress")
  );
}

function isMcpTool(value: unknown): boolean {
  return isObject(value) && typeof value["server"] === "string" && typeof value["tool"] === "string";
}

function isAbsentOr(value: unknown, isRight: (value: unknown) => boolean): boolean {
  return value === undefined || isRight(value);
}

export function isEffectArray(value: unknown): value is readonly ToolEffect[] {
  return Array.isArray(value) && value.every((effect) => KNOWN_EFFECTS.has(effect as string));
}

function named(copy: Record<string, unknown>, problem: string): ToolCheck {
  const name = copy["name"];
  return typeof name === "string" ? { name, problem } : { problem };
}
