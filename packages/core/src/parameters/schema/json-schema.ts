import type { HaftError } from "../../contract/errors.ts";
import { coreError } from "../../errors.ts";
import { boundedPattern, type BoundedPattern } from "./bounded-pattern.ts";

export interface JsonSchema {
  readonly $ref?: unknown;
  readonly type?: unknown;
  readonly enum?: unknown;
  readonly const?: unknown;
  readonly properties?: unknown;
  readonly required?: unknown;
  readonly additionalProperties?: unknown;
  readonly unevaluatedProperties?: unknown;
  readonly patternProperties?: unknown;
  readonly propertyNames?: unknown;
  readonly minProperties?: unknown;
  readonly maxProperties?: unknown;
  readonly items?: unknown;
  readonly prefixItems?: unknown;
  readonly additionalItems?: unknown;
  readonly contains?: unknown;
  readonly minItems?: unknown;
  readonly maxItems?: unknown;
  readonly uniqueItems?: unknown;
  readonly minLength?: unknown;
  readonly maxLength?: unknown;
  readonly pattern?: unknown;
  readonly format?: unknown;
  readonly minimum?: unknown;
  readonly maximum?: unknown;
  readonly exclusiveMinimum?: unknown;
  readonly exclusiveMaximum?: unknown;
  readonly multipleOf?: unknown;
  readonly anyOf?: unknown;
  readonly oneOf?: unknown;
  readonly allOf?: unknown;
  readonly not?: unknown;
  readonly if?: unknown;
  readonly then?: unknown;
  readonly else?: unknown;
  readonly "haft:kind"?: unknown;
}

export type JsonObject = Record<string, unknown>;

export function isPlainObject(value: unknown): value is JsonObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // The last case is another realm (a vm context, a worker's transfer).
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null;
}

export function schemaInvalidError(where: string, problem: string): HaftError {
  return coreError("TOOL_INVALID", `The schema is malformed${where && ` at ${where}`}: ${problem}.`, {
    fix: "Correct the JSON Schema of this tool's parameters.",
  });
}

/** Resolves `$ref`s in one document: `#`, `#/pointer`, `#anchor`, and the bare `$id`s of TypeBox. */
export class SchemaReferences {
  readonly #root: unknown;
  #ids: Map<string, unknown> | undefined;
  #visits = 0;

  constructor(root: unknown) {
    this.#root = root;
  }

  resolve(reference: unknown): unknown {
    if (typeof reference !== "string") throw schemaInvalidError("", "$ref must be a string");
    if (reference === "#") return this.#root;
    const found = reference.startsWith("#/") ? this.#pointer(reference) : this.#byId(reference);
    if (found === undefined) {
      const where = JSON.stringify(reference.slice(0, 200));
      const isRemote = /^[a-z][a-z\d+.-]*:/i.test(reference);
      throw schemaInvalidError(
        "",
        isRemote
          ? `$ref ${where} refers outside of the schema, which is not fetched: copy its target into $defs`
          : `$ref ${where} does not exist`,
      );
    }
    return found;
  }

  countVisit(): void {
    if (++this.#visits > MAX_VISITS)
      throw schemaInvalidError("", "too many of its parts refer to each other");
  }

  #pointer(reference: string): unknown {
    let node: unknown = this.#root;
    for (const part of reference.slice(2).split("/")) {
      const key = decode(part).replaceAll("~1", "/").replaceAll("~0", "~");
      if (typeof node !== "object" || node === null || !Object.hasOwn(node, key)) return undefined;
      node = (node as JsonObject)[key];
    }
    return node;
  }

  #byId(reference: string): unknown {
    if (this.#ids === undefined) {
      this.#ids = new Map();
      collectIds(this.#root, this.#ids, 0);
    }
    return this.#ids.get(reference);
  }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function collectIds(node: unknown, ids: Map<string, unknown>, depth: number): void {
  if (typeof node !== "object" || node === null || depth > 2 * MAX_SCHEMA_DEPTH) return;
  const { $id, $anchor } = node as { $id?: unknown; $anchor?: unknown };
  if (typeof $id === "string" && !ids.has($id)) ids.set($id, node);
  if (typeof $anchor === "string" && !ids.has(`#${$anchor}`)) ids.set(`#${$anchor}`, node);
  for (const child of Object.values(node)) collectIds(child, ids, depth + 1);
}

export const MAX_SCHEMA_DEPTH = 64;
const MAX_VISITS = 1_000_000;

export interface KnownNames {
  names: Set<string>;
  patterns: BoundedPattern[];
  open: boolean;
}

export function collectKnownNames(schema: unknown, references: SchemaReferences): KnownNames {
  const known: KnownNames = { names: new Set(), patterns: [], open: false };
  let declared = false;
  const seen = new Set<unknown>();
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null || seen.has(node)) return;
    seen.add(node);
    references.countVisit();
    const { $ref, properties, patternProperties, additionalProperties, unevaluatedProperties } =
      node as JsonSchema;
    if ($ref !== undefined) visit(references.resolve($ref));
    if (isPlainObject(properties)) {
      declared = true;
      for (const name of Object.keys(properties)) known.names.add(name);
    }
    if (isPlainObject(patternProperties)) {
      declared = true;
      for (const pattern of Object.keys(patternProperties)) known.patterns.push(compilePattern(pattern, ""));
    }
    for (const rest of [additionalProperties, unevaluatedProperties]) {
      if (rest === false) declared = true;
      else if (rest !== undefined) known.open = true;
    }
    for (const branch of listBranches(node)) visit(branch);
  };
  visit(schema);
  if (!declared) known.open = true;
  return known;
}

export function listBranches(schema: JsonSchema): unknown[] {
  const branches: unknown[] = [];
  for (const list of [schema.allOf, schema.anyOf, schema.oneOf]) {
    if (Array.isArray(list)) branches.push(...(list as unknown[]));
  }
  for (const branch of [schema.if, schema.then, schema.else]) {
    if (branch !== undefined) branches.push(branch);
  }
  return branches;
}

/** JSON Schema requires Unicode patterns, but many patterns are invalid with that flag. */
export function compilePattern(pattern: unknown, where: string): BoundedPattern {
  if (typeof pattern !== "string") throw schemaInvalidError(where, "pattern must be a string");
  for (const flags of ["u", ""]) {
    try {
      return boundedPattern(new RegExp(pattern, flags));
    } catch {
      // Tries the next flags.
    }
  }
  throw schemaInvalidError(
    where,
    `pattern ${JSON.stringify(pattern.slice(0, 200))} is not a regular expression`,
  );
}

interface SubSchema {
  schema: unknown;
  at: readonly (string | number)[];
  inPlace: boolean;
}

const MAPS = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
const LISTS = ["allOf", "anyOf", "oneOf", "prefixItems", "items"];
const SINGLE = [
  "items",
  "additionalItems",
  "unevaluatedItems",
  "contains",
  "additionalProperties",
  "unevaluatedProperties",
  "propertyNames",
  "not",
  "if",
  "then",
  "else",
];
const IN_PLACE = new Set(["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"]);

export function subSchemas(node: JsonObject): SubSchema[] {
  const found: SubSchema[] = [];
  const add = (keyword: string, schema: unknown, ...rest: (string | number)[]) =>
    found.push({ schema, at: [keyword, ...rest], inPlace: IN_PLACE.has(keyword) });
  for (const keyword of MAPS) {
    const map = node[keyword];
    if (isPlainObject(map)) for (const name of Object.keys(map)) add(keyword, map[name], name);
  }
  for (const keyword of LISTS) {
    const list = node[keyword];
    if (Array.isArray(list)) for (const [index, schema] of list.entries()) add(keyword, schema, index);
  }
  for (const keyword of SINGLE) if (isPlainObject(node[keyword])) add(keyword, node[keyword]);
  return found;
}
