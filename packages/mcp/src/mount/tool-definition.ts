import { isObject, sha256 } from "@haft/utils";

/**
 * Contains a server's description of a tool for models and people.
 *
 * @example
 * ```ts
 * import type { McpToolDefinition } from "@haft/mcp";
 * const definition: McpToolDefinition = {
 *   name: "search",
 *   description: "Searches issues.",
 *   inputSchema: { type: "object", properties: { query: { type: "string" } } },
 *   annotations: { readOnlyHint: true },
 * };
 * ```
 */
export interface McpToolDefinition {
  /** Contains the server's name of the tool. */
  name: string;
  /** Contains the title for people. */
  title?: string;
  /** Contains the description for models. */
  description?: string;
  /** Contains the JSON Schema of the arguments. */
  inputSchema: Record<string, unknown>;
  /** Contains the JSON Schema of structured results. */
  outputSchema?: Record<string, unknown>;
  /** Contains the server's unverified hints: read-only, destructive, or reaching other systems. */
  annotations?: Record<string, unknown>;
}

/** Describes a changed field of a tool's description. */
export interface ToolDifference {
  /** Names the field. */
  field: keyof McpToolDefinition;
  /** Contains the accepted value as text, if any. */
  before?: string;
  /** Contains the current value as text, if any. */
  now?: string;
}

const PARTS = ["name", "title", "description", "inputSchema", "outputSchema", "annotations"] as const;
/** Characters of a definition, far above useful sizes. */
const LONGEST = 128 * 1024;
const LONGEST_NAME = 256;

/**
 * Reads a server's description of a tool. Unknown fields are dropped.
 *
 * @returns the definition, or an unacceptable description's name and problem
 *
 * @example
 * ```ts run
 * import { readDefinition } from "@haft/mcp";
 * readDefinition({ name: "ping", inputSchema: { type: "object" }, icons: [] }); // => { name: "ping", inputSchema: { type: "object" } }
 * "problem" in readDefinition({ name: "pong" }); // => true
 * ```
 */
export function readDefinition(given: unknown): McpToolDefinition | { name: string; problem: string } {
  if (!isObject(given)) return { name: "", problem: "is not an object" };
  const { name } = given;
  if (typeof name !== "string" || name === "" || name.length > LONGEST_NAME)
    return { name: "", problem: "has no name or a name that is too long" };
  const wrong = (problem: string) => ({ name, problem });
  const definition: Record<string, unknown> = {};
  for (const part of PARTS)
    if (given[part] !== undefined && given[part] !== null) definition[part] = given[part];
  for (const part of ["title", "description"])
    if (definition[part] !== undefined && typeof definition[part] !== "string")
      return wrong(`has a ${part} that is not a text`);
  for (const part of ["outputSchema", "annotations"])
    if (definition[part] !== undefined && !isObject(definition[part]))
      return wrong(`has ${part} that is not an object`);
  if (!isObject(definition["inputSchema"])) return wrong("has no inputSchema");
  let text: string;
  try {
    text = JSON.stringify(definition);
  } catch {
    return wrong("is nested too deeply");
  }
  if (text.length > LONGEST)
    return wrong(`has a description of ${text.length} characters; the limit is ${LONGEST}`);
  return definition as unknown as McpToolDefinition;
}

/**
 * Returns a hash of a definition. The order of keys does not matter.
 *
 * @example
 * ```ts run
 * import { fingerprint } from "@haft/mcp";
 * const inputSchema = { type: "object" };
 * const before = fingerprint({ name: "ping", inputSchema });
 * before === fingerprint({ inputSchema, name: "ping" }); // => true
 * ```
 */
export function fingerprint(definition: McpToolDefinition): string {
  return sha256(canonical(onlyParts(definition)));
}

/**
 * Returns the fields that differ between two definitions of a tool.
 *
 * @example
 * ```ts run
 * import { differences } from "@haft/mcp";
 * const before = { name: "ping", description: "Answers pong.", inputSchema: { type: "object" } };
 * const changed = differences(before, { ...before, description: "Sends your files." });
 * changed.map(({ field }) => field); // => ["description"]
 * ```
 */
export function differences(before: McpToolDefinition, now: McpToolDefinition): ToolDifference[] {
  return PARTS.flatMap((part): ToolDifference[] => {
    const [old, other] = [before[part], now[part]].map((value) =>
      value === undefined || typeof value === "string" ? value : canonical(value),
    );
    if (old === other) return [];
    return [
      { field: part, ...(old !== undefined && { before: old }), ...(other !== undefined && { now: other }) },
    ];
  });
}

function onlyParts(definition: McpToolDefinition): object {
  return Object.fromEntries(PARTS.flatMap((part) => (part in definition ? [[part, definition[part]]] : [])));
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isObject(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}
