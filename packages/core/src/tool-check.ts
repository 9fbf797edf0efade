import { messageOf } from "./errors.ts";
import type { AnyTool, ToolEffect } from "./tool.ts";

const EFFECTS: ReadonlySet<string> = new Set<ToolEffect>(["read", "write", "execute", "network", "message"]);
/** What every model provider accepts as a function name. */
const NAME = /^[a-zA-Z][a-zA-Z0-9_-]{0,47}$/;
const PARTS = [
  "name",
  "label",
  "description",
  "parameters",
  "outputSchema",
  "effects",
  "aliases",
  "otherNames",
  "groups",
  "progress",
  "deadlineMs",
] as const;

export interface ToolCheck {
  /** A frozen copy whose parts were read once; absent when something is wrong. */
  tool?: AnyTool;
  /** The name, when it could at least be read. */
  name?: string;
  problem?: string;
}

/** Reads every part of a foreign tool once and says what is wrong with it. Never throws. */
export function checkTool(candidate: unknown): ToolCheck {
  if (typeof candidate !== "object" || candidate === null)
    return { problem: `it is ${typeof candidate}, not an object` };
  const source = candidate as Record<string, unknown>;
  const copy: Record<string, unknown> = {};
  try {
    for (const part of PARTS) if (source[part] !== undefined) copy[part] = source[part];
    const execute = source["execute"];
    if (typeof execute !== "function") return named(copy, "execute is not a function");
    // Bound to the original, so that tools written as classes keep their `this`.
    copy["execute"] = execute.bind(candidate);
  } catch (thrown) {
    return named(copy, `reading it threw: ${messageOf(thrown)}`);
  }
  const problem = findProblem(copy);
  return problem === undefined ? { tool: Object.freeze(copy) as unknown as AnyTool } : named(copy, problem);
}

function findProblem(tool: Record<string, unknown>): string | undefined {
  const { name, description, parameters, effects, aliases, otherNames } = tool;
  if (typeof name !== "string" || !NAME.test(name))
    return "name must match [a-zA-Z][a-zA-Z0-9_-]*, at most 48 characters";
  if (typeof description !== "string" || description.trim() === "") return "description is missing";
  if (!isRecord(parameters)) {
    return "parameters is missing (is it called inputSchema? Haft tools say parameters: Type.Object({…}))";
  }
  if (parameters["type"] !== "object") return "parameters must be an object schema (Type.Object({…}))";
  if (!Array.isArray(effects) || !effects.every((effect) => EFFECTS.has(effect))) {
    return `effects must be a list out of ${[...EFFECTS].join(", ")} ([] for a tool that only computes)`;
  }
  if (aliases !== undefined && !isRecord(aliases))
    return "aliases must map a parameter to its other spellings";
  if (otherNames !== undefined && !isRecord(otherNames)) return "otherNames must map a name to { place? }";
  return undefined;
}

function named(copy: Record<string, unknown>, problem: string): ToolCheck {
  const name = copy["name"];
  return typeof name === "string" ? { name, problem } : { problem };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
