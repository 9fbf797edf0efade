import { isPlainObject, type JsonObject, schemaInvalid, type SchemaReferences } from "./json-schema.ts";
import { subSchemas } from "./sub-schemas.ts";

/** Schemas that may describe one and the same value, each as often as it does. */
const MOST_IN_PLACE = 100_000;

/**
 * Refuses what a check could follow without ever coming to an end, or too often to come to one: a schema that refers to
 * itself for the very same value, and one whose references multiply each other.
 *
 * @throws `TOOL_INVALID`
 */
export function checkReferences(root: JsonObject, references: SchemaReferences): void {
  const costs = new Map<JsonObject, number | "open">();
  const cost = (node: unknown, path: string): number => {
    if (!isPlainObject(node)) return 1;
    const before = costs.get(node);
    if (before === "open") throw schemaInvalid(path, "it refers to itself for the very same value");
    if (before !== undefined) return before;
    costs.set(node, "open");
    let sum = 1;
    const within: [unknown, string][] = [];
    for (const { schema, at, inPlace } of subSchemas(node)) {
      const place = `${path}/${at.join("/")}`;
      if (inPlace) sum += cost(schema, place);
      else within.push([schema, place]);
    }
    if (node["$ref"] !== undefined) sum += cost(references.resolve(node["$ref"]), path);
    if (sum > MOST_IN_PLACE) throw schemaInvalid(path, "its references multiply each other");
    costs.set(node, sum);
    for (const [schema, place] of within) cost(schema, place);
    return sum;
  };
  cost(root, "");
}
