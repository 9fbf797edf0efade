import { toSchemaWithOptionalDefaults } from "./defaults.ts";
import { isPlainObject } from "./schema/json-schema.ts";

const MARK = "haft:unadvertised";

const known = new WeakMap<object, unknown>();

/** Returns the schema for models: without hidden properties and minimum lengths. A property with a default is optional. */
export function toAdvertisedSchema<Schema extends object>(parameters: Schema): Schema {
  return without(toSchemaWithOptionalDefaults(parameters)) as Schema;
}

function without(schema: unknown): unknown {
  if (!isPlainObject(schema)) return schema;
  if (!known.has(schema)) known.set(schema, withoutIn(schema));
  return known.get(schema);
}

function withoutIn(schema: Record<string, unknown>): unknown {
  if (schema["minLength"] === 1) {
    const { minLength: _, ...rest } = schema;
    return withoutIn(rest);
  }
  const { properties, items } = schema;
  const changed: Record<string, unknown> = {};
  const inner = without(items);
  if (inner !== items) changed["items"] = inner;
  if (isPlainObject(properties)) {
    const all = Object.entries(properties);
    const visible = all.filter(([, property]) => !isPlainObject(property) || property[MARK] !== true);
    const each = visible.map(([name, property]) => [name, without(property)] as const);
    if (visible.length < all.length || each.some(([name, property]) => property !== properties[name]))
      changed["properties"] = Object.fromEntries(each);
  }
  return Object.keys(changed).length === 0 ? schema : { ...schema, ...changed };
}
