import { isObject } from "./tool-definition.ts";

const KEYWORD = "x-mcp-header";
const TYPES: readonly unknown[] = ["string", "integer", "boolean"];
/** `token` of RFC 9110, section 5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/;
/** Hold names with schemas, rather than a schema. */
const MAPS = ["$defs", "definitions", "patternProperties", "dependentSchemas"];
/** Hold one schema, or a list of them. */
const SCHEMAS = [
  ..."items additionalProperties unevaluatedProperties unevaluatedItems prefixItems contains propertyNames".split(
    " ",
  ),
  ..."allOf anyOf oneOf not if then else".split(" "),
];

/**
 * What is wrong with the arguments that a tool wants as headers of their own, too (`x-mcp-header`, of the protocol of 2026): such
 * a tool must not be called. The end of a sentence that begins with its name; `undefined` where nothing is.
 */
export function problemWithHeaders(inputSchema: Record<string, unknown>): string | undefined {
  const names = new Set<string>();
  const visit = (schema: unknown, isArgument: boolean): string | undefined => {
    if (!isObject(schema)) return undefined;
    return (
      (KEYWORD in schema ? problemWith(schema, isArgument) : undefined) ??
      visitAll(schema["properties"], isArgument) ??
      first(MAPS, (key) => visitAll(schema[key], false)) ??
      first(SCHEMAS, (key) => first([schema[key]].flat(), (part) => visit(part, false)))
    );
  };
  const visitAll = (map: unknown, isArgument: boolean) =>
    isObject(map) ? first(Object.values(map), (part) => visit(part, isArgument)) : undefined;
  const problemWith = ({ [KEYWORD]: name, type }: Record<string, unknown>, isArgument: boolean) => {
    if (!isArgument) return "wants a header for a part of its arguments that is not always there";
    if (typeof name !== "string" || !TOKEN.test(name))
      return `wants a header with the name ${JSON.stringify(name)}`;
    if (!TYPES.includes(type))
      return `wants the header ${name} for what is no text, no integer and no boolean`;
    const key = name.toLowerCase();
    if (names.has(key)) return `wants the header ${name} twice`;
    names.add(key);
    return undefined;
  };
  return KEYWORD in inputSchema ? problemWith(inputSchema, false) : visit(inputSchema, true);
}

function first<Item>(
  items: readonly Item[],
  problemOf: (item: Item) => string | undefined,
): string | undefined {
  for (const item of items) {
    const problem = problemOf(item);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
