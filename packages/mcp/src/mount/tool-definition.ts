import { isObject, sha256 } from "@haft/core/internal";

/** A tool as its server describes it: all that models and people are told of it. */
export interface McpToolDefinition {
  /** The server's own name of it. */
  name: string;
  /** For people. */
  title?: string;
  /** For models. */
  description?: string;
  /** JSON Schema of its arguments. */
  inputSchema: Record<string, unknown>;
  /** JSON Schema of its structured results. */
  outputSchema?: Record<string, unknown>;
  /** Hints: whether it only reads, destroys, reaches further. Nobody has checked them. */
  annotations?: Record<string, unknown>;
}

/** One part of a tool that is described otherwise than before. */
export interface ToolDifference {
  /** Which. */
  field: keyof McpToolDefinition;
  /** As it was accepted; absent where there was none. */
  before?: string;
  /** As it is now; absent where there is none. */
  now?: string;
}

const PARTS = ["name", "title", "description", "inputSchema", "outputSchema", "annotations"] as const;
/** Characters of one definition: far beyond what a model could be told. */
const LONGEST = 128 * 1024;
const LONGEST_NAME = 256;

/** Reads what a server says of one of its tools, and of that no more than counts. */
export function readDefinition(given: unknown): McpToolDefinition | { name: string; problem: string } {
  if (!isObject(given)) return { name: "", problem: "is no object" };
  const { name } = given;
  if (typeof name !== "string" || name === "" || name.length > LONGEST_NAME)
    return { name: "", problem: "has no name, or one that is too long" };
  const wrong = (problem: string) => ({ name, problem });
  const definition: Record<string, unknown> = {};
  for (const part of PARTS) if (given[part] !== undefined) definition[part] = given[part];
  for (const part of ["title", "description"])
    if (definition[part] !== undefined && typeof definition[part] !== "string")
      return wrong(`has a ${part} that is no text`);
  for (const part of ["outputSchema", "annotations"])
    if (definition[part] !== undefined && !isObject(definition[part]))
      return wrong(`has ${part} that is no object`);
  if (!isObject(definition["inputSchema"])) return wrong("has no inputSchema");
  let text: string;
  try {
    text = JSON.stringify(definition);
  } catch {
    return wrong("is nested too deeply");
  }
  if (text.length > LONGEST)
    return wrong(`is described in ${text.length} characters, and ${LONGEST} are taken`);
  return definition as unknown as McpToolDefinition;
}

/** The same for definitions that say the same, in whichever order, and for no others. */
export function fingerprint(definition: McpToolDefinition): string {
  return sha256(canonical(onlyParts(definition)));
}

/** What of a tool is another by now. */
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

/** JSON with the keys of each object in order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isObject(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}
