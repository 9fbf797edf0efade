import { isObject } from "@haft/utils";

const KEYWORD = "x-mcp-header";
const TYPES: readonly unknown[] = ["string", "integer", "boolean"];
/** `token` of RFC 9110, section 5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/;
/** Hold names with schemas, rather than a schema. */
const MAPS = ["$defs", "definitions", "patternProperties", "dependentSchemas"];
/** Hold one schema, or a list of them. */
const SCHEMAS =
  "items additionalProperties unevaluatedProperties unevaluatedItems prefixItems contains propertyNames allOf anyOf oneOf not if then else".split(
    " ",
  );

/**
 * What is wrong with the arguments that a tool wants as headers of their own, too (`x-mcp-header`, of the protocol of 2026): such
 * a tool must not be called. The end of a sentence that begins with its name; `undefined` where nothing is.
 */
export function findHeaderProblem(inputSchema: Record<string, unknown>): string | undefined {
  const names = new Set<string>();
  // Not by recursion: how deep it is, its server says.
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
  if (!isArgument) return "wants a header for a part of its arguments that is not always there";
  if (typeof name !== "string" || !TOKEN.test(name))
    return `wants a header with the name ${JSON.stringify(name)}`;
  if (!TYPES.includes(type)) return `wants the header ${name} for what is no text, no integer and no boolean`;
  const key = name.toLowerCase();
  if (names.has(key)) return `wants the header ${name} twice`;
  names.add(key);
  return undefined;
}

function partsOf(map: unknown): unknown[] {
  return isObject(map) ? Object.values(map) : [];
}
