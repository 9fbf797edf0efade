import { isObject } from "@haft/utils";

const KEYWORD = "x-mcp-header";
const TYPES: readonly unknown[] = ["string", "integer", "boolean"];
/** `token` of RFC 9110, section 5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/;
const MAPS = ["$defs", "definitions", "patternProperties", "dependentSchemas"];
const SCHEMAS =
  "items additionalProperties unevaluatedProperties unevaluatedItems prefixItems contains propertyNames allOf anyOf oneOf not if then else".split(
    " ",
  );

/**
 * Finds a problem of arguments that a tool also requires as headers (`x-mcp-header`, 2026 revision), which
 * forbids its calls. The text follows the tool's name.
 */
export function findHeaderProblem(inputSchema: Record<string, unknown>): string | undefined {
  const names = new Set<string>();
  // The server controls the depth.
  const waiting: [schema: unknown, isArgument: boolean][] = [[inputSchema, true]];
  for (const [schema, isArgument] of waiting) {
    if (!isObject(schema)) continue;
    if (KEYWORD in schema) {
      const problem = problemWith(schema, names, isArgument && schema !== inputSchema);
      if (problem !== undefined) return problem;
    }
    for (const part of partsOf(schema["properties"])) waiting.push([part, isArgument]);
    for (const key of MAPS) for (const part of partsOf(schema[key])) waiting.push([part, false]);
    for (const key of SCHEMAS) for (const part of [schema[key]].flat()) waiting.push([part, false]);
  }
  return undefined;
}

function problemWith(
  { [KEYWORD]: name, type }: Record<string, unknown>,
  names: Set<string>,
  isArgument: boolean,
): string | undefined {
  if (!isArgument) return "requires a header for an optional part of its arguments";
  if (typeof name !== "string" || !TOKEN.test(name))
    return `requires a header with the name ${JSON.stringify(name)}`;
  if (!TYPES.includes(type))
    return `requires the header ${name} for a value that is not a text, an integer or a boolean`;
  const key = name.toLowerCase();
  if (names.has(key)) return `requires the header ${name} twice`;
  names.add(key);
  return undefined;
}

function partsOf(map: unknown): unknown[] {
  return isObject(map) ? Object.values(map) : [];
}
