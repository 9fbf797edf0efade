import {
  isPlainObject,
  type JsonObject,
  type JsonSchema,
  type KnownNames,
  MAX_SCHEMA_DEPTH,
  schemaInvalidError,
} from "./json-schema.ts";
import { deepEqual } from "./keywords.ts";

export type AliasTable = ReadonlyMap<string, string>;

export const NO_ALIASES: AliasTable = new Map();

/** Inverts `aliases`, also of nested objects. @throws `TOOL_INVALID` if an alias is ambiguous */
export function aliasTable(
  aliases: Readonly<Record<string, readonly string[]>> | undefined,
  schema: unknown,
  known: KnownNames,
): AliasTable {
  if (aliases === undefined) return NO_ALIASES;
  const table = new Map<string, string>();
  for (const [canonical, spellings] of Object.entries(aliases)) {
    if (!known.names.has(canonical) && !declares(schema, canonical, 0)) {
      throw schemaInvalidError("aliases", `its aliases name a parameter ${canonical} that does not exist`);
    }
    for (const alias of spellings) {
      if (known.names.has(alias)) throw schemaInvalidError("aliases", `${alias} is itself a parameter`);
      const other = table.get(alias);
      if (other !== undefined && other !== canonical) {
        throw schemaInvalidError("aliases", `${alias} stands for both ${other} and ${canonical}`);
      }
      table.set(alias, canonical);
    }
  }
  return table;
}

function declares(node: unknown, name: string, depth: number): boolean {
  if (typeof node !== "object" || node === null || depth > 2 * MAX_SCHEMA_DEPTH) return false;
  const { properties } = node as JsonSchema;
  if (isPlainObject(properties) && Object.hasOwn(properties, name)) return true;
  return Object.values(node).some((child) => declares(child, name, depth + 1));
}

export type AliasResult =
  | { args: JsonObject; renamed: string[]; conflict?: undefined }
  | { conflict: readonly [string, string] };

/** Renames aliases, unless the canonical name exists. Returns `args` itself if nothing changes. */
export function renameAliases(
  args: JsonObject,
  table: AliasTable,
  has: (name: string) => boolean,
): AliasResult {
  const renamed: string[] = [];
  const members = new Map<string, { spelling: string; value: unknown }>();
  for (const spelling of Object.keys(args)) {
    const value = args[spelling];
    if (value === undefined) continue;
    const canonical = table.get(spelling);
    const isAlias = canonical !== undefined && has(canonical) && !has(spelling);
    if (isAlias) renamed.push(`${spelling} → ${canonical}`);
    const name = isAlias ? canonical : spelling;
    const other = members.get(name);
    if (other === undefined) members.set(name, { spelling, value });
    else if (!deepEqual(other.value, value)) return { conflict: [other.spelling, spelling] };
  }
  if (renamed.length === 0) return { args, renamed };
  // fromEntries defines own members, so the key __proto__ is harmless.
  return { args: Object.fromEntries([...members].map(([name, { value }]) => [name, value])), renamed };
}
