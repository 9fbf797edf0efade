import { getErrorMessage } from "../contract/errors.ts";
import { applyDefaults, toSchemaWithOptionalDefaults } from "./defaults.ts";
import { findSchemaSnapshot, readSchema } from "./read-schema.ts";
import { type AliasTable, aliasTable } from "./schema/aliases.ts";
import {
  isPlainObject,
  type JsonObject,
  type KnownNames,
  collectKnownNames,
  schemaInvalidError,
  SchemaReferences,
  subSchemas,
} from "./schema/json-schema.ts";
import { compileValidator, type Validator } from "./schema/validator.ts";
import { type Standard, readStandardSchema } from "./standard/standard-schema.ts";

export interface ParameterizedTool {
  name: string;
  parameters: unknown;
  aliases?: Readonly<Record<string, readonly string[]>>;
  fillsDefaults?: boolean;
}

export interface CompiledSpec {
  schema: JsonObject;
  validator: Validator;
  aliases: AliasTable;
  known: KnownNames;
  validate: Standard["validate"];
  /** Fills in defaults; absent if the schema has none, or if somebody else fills them in. */
  defaults?: { fill(args: JsonObject): JsonObject; areOptional(args: JsonObject): boolean };
}

const specs = new WeakMap<ParameterizedTool, CompiledSpec>();

export function getCompiledSpec(tool: ParameterizedTool): CompiledSpec {
  let spec = specs.get(tool);
  if (spec === undefined) specs.set(tool, (spec = compileSpec(tool)));
  return spec;
}

const tried = new WeakMap<object, unknown>();

/** Checks schema and aliases once for all sharing tools; never throws. */
export function findSpecProblem(tool: ParameterizedTool & { parameters: JsonObject }): string | undefined {
  const { parameters, aliases } = tool;
  if (tried.has(parameters) && tried.get(parameters) === aliases) return undefined;
  try {
    compileSpec(tool);
    if (JSON.stringify(parameters).includes('"$ref"'))
      checkReferences(parameters, new SchemaReferences(parameters));
    tried.set(parameters, aliases);
    return undefined;
  } catch (thrown) {
    return getErrorMessage(thrown).replace(/\.$/, "");
  }
}

function compileSpec({ parameters, aliases, fillsDefaults = true }: ParameterizedTool): CompiledSpec {
  const { schema: given, validate } = partsOf(parameters);
  const schema = toSchemaWithOptionalDefaults(given);
  const type = schema["type"];
  if (type !== undefined && type !== "object")
    throw schemaInvalidError("type", "parameters must describe an object");
  const known = collectKnownNames(schema, new SchemaReferences(schema));
  if (known.names.has("__proto__")) throw schemaInvalidError("properties", "__proto__ cannot be a parameter");
  const table = aliasTable(aliases, schema, known);
  const validator = compileValidator(schema, { closed: true, aliases: table });
  const fills = validate === undefined && JSON.stringify(schema).includes('"default":');
  const spec = { schema, known, aliases: table, validator, validate };
  if (!fills) return spec;
  let strict: Validator | undefined;
  const areOptional = (args: JsonObject): boolean =>
    (strict ??= compileValidator(given, { closed: true, aliases: table })).check(args);
  return {
    ...spec,
    defaults: {
      fill: (args) =>
        applyDefaults(given, args, { isJson: true, onlyRequired: !fillsDefaults }) as JsonObject,
      areOptional,
    },
  };
}

function partsOf(parameters: unknown): { schema: JsonObject; validate: Standard["validate"] } {
  const snapshot =
    typeof parameters === "object" && parameters !== null ? findSchemaSnapshot(parameters) : undefined;
  if (snapshot !== undefined) return snapshot;
  if (readStandardSchema(parameters) === undefined) {
    if (!isPlainObject(parameters)) throw schemaInvalidError("", "parameters must be a JSON Schema object");
    return { schema: parameters, validate: undefined };
  }
  const read = readSchema(parameters, "parameters");
  if ("problem" in read) throw schemaInvalidError("", read.problem);
  return read;
}

const MAX_IN_PLACE = 100_000;

/** Rejects circular references, and references that multiply. @throws `TOOL_INVALID` */
function checkReferences(root: JsonObject, references: SchemaReferences): void {
  const costs = new Map<JsonObject, number | "open">();
  const cost = (node: unknown, path: string): number => {
    if (!isPlainObject(node)) return 1;
    const before = costs.get(node);
    if (before === "open") throw schemaInvalidError(path, "it refers to itself for the same value");
    if (before !== undefined) return before;
    costs.set(node, "open");
    let sum = 1;
    const within: [unknown, string][] = [];
    for (const { schema, at, inPlace } of subSchemas(node)) {
      const location = `${path}/${at.join("/")}`;
      if (inPlace) sum += cost(schema, location);
      else within.push([schema, location]);
    }
    if (node["$ref"] !== undefined) sum += cost(references.resolve(node["$ref"]), path);
    if (sum > MAX_IN_PLACE) throw schemaInvalidError(path, "its references multiply each other");
    costs.set(node, sum);
    for (const [schema, location] of within) cost(schema, location);
    return sum;
  };
  cost(root, "");
}
