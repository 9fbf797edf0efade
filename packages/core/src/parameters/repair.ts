import { type AliasTable, renameAliases } from "./schema/aliases.ts";
import { listBranches, isPlainObject, type JsonObject, type JsonSchema } from "./schema/json-schema.ts";
import { deepEqual } from "./schema/keywords.ts";
import { SchemaCompiler, type Validator } from "./schema/validator.ts";

const MAX_DEPTH = 24;
const MAX_STEPS = 20_000;
const MAX_EMBEDDED_JSON = 1024 * 1024;

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const BOOLEANS = new Map([
  ["true", true],
  ["True", true],
  ["false", false],
  ["False", false],
]);

export interface RepairResult {
  value: unknown;
  repairs: string[];
  conflict?: readonly [string, string];
}

/**
 * Repairs invalid arguments by schema if exactly one reading fits: JSON text for an array or object, `"5"` for a number, `"true"` for a
 * boolean, `{ text: "…" }` (or one such block in an array) for a string, an object for a list of objects, a word for a list of texts,
 * `null` for an optional parameter, nested aliases.
 *
 * Never changes valid values, numbers for strings (which lose digits, zeros and exponents) or several text blocks for one string. Changes
 * only copies.
 */
export function repairArguments(schema: unknown, args: unknown, aliases: AliasTable): RepairResult {
  const repairer = new Repairer(schema, aliases);
  const value = repairer.repair(schema, args, "", 0);
  const { repairs, conflict } = repairer;
  return conflict === undefined ? { value, repairs } : { value, repairs, conflict };
}

class Repairer {
  readonly repairs: string[] = [];
  conflict: readonly [string, string] | undefined;
  readonly #compiler: SchemaCompiler;
  readonly #aliases: AliasTable;
  readonly #validators = new Map<unknown, Validator>();
  #steps = 0;

  constructor(root: unknown, aliases: AliasTable) {
    this.#compiler = new SchemaCompiler(root, aliases);
    this.#aliases = aliases;
  }

  repair(schema: unknown, value: unknown, path: string, depth: number): unknown {
    if (depth > MAX_DEPTH || this.#steps++ > MAX_STEPS || this.#compiler.isSpent || this.#fits(schema, value))
      return value;
    if (typeof value === "object" && value !== null) {
      const children = this.#repairChildren(schema, value, path, depth);
      if (this.#fits(schema, children)) return children;
      return this.#onlyReading(schema, readingsOf(value), path, depth) ?? children;
    }
    return this.#onlyReading(schema, readingsOf(value), path, depth) ?? value;
  }

  #onlyReading(schema: unknown, readings: Reading[], path: string, depth: number): unknown {
    let found: { value: unknown; repairs: string[] } | undefined;
    for (const reading of readings) {
      const before = this.repairs.length;
      const value = this.repair(schema, reading.value, path, depth + 1);
      const repairs = this.repairs.splice(before);
      if (!this.#fits(schema, value)) continue;
      if (found !== undefined && !deepEqual(found.value, value)) return undefined;
      found ??= { value, repairs: [`${path || "arguments"}: ${reading.how}`, ...repairs] };
    }
    if (found === undefined) return undefined;
    this.repairs.push(...found.repairs);
    return found.value;
  }

  #repairChildren(schema: unknown, value: object, path: string, depth: number): unknown {
    let current: unknown = value;
    for (const node of this.#nodesOf(schema)) {
      if (this.#fits(schema, current)) break;
      if (Array.isArray(current)) current = this.#repairItems(node, current, path, depth);
      else if (isPlainObject(current)) current = this.#repairMembers(node, current, path, depth);
    }
    return current;
  }

  #repairItems(node: JsonSchema, items: unknown[], path: string, depth: number): unknown[] {
    const positions = Array.isArray(node.items)
      ? node.items
      : Array.isArray(node.prefixItems)
        ? node.prefixItems
        : [];
    const rest = Array.isArray(node.items) ? node.additionalItems : node.items;
    let changed = false;
    const repaired = items.map((item, index) => {
      const value = this.repair(
        (positions[index] as unknown) ?? rest ?? true,
        item,
        `${path}[${index}]`,
        depth + 1,
      );
      changed ||= value !== item;
      return value;
    });
    return changed ? repaired : items;
  }

  #repairMembers(node: JsonSchema, members: JsonObject, path: string, depth: number): JsonObject {
    const properties = isPlainObject(node.properties) ? node.properties : {};
    const renamed = renameAliases(members, this.#aliases, (name) => Object.hasOwn(properties, name));
    if (renamed.conflict !== undefined) {
      this.conflict ??= renamed.conflict;
      return members;
    }
    this.repairs.push(...renamed.renamed.map((name) => `${path}: ${name}`));
    const required = Array.isArray(node.required) ? node.required : [];
    let changed = renamed.args !== members;
    const entries: [string, unknown][] = [];
    for (const [name, member] of Object.entries(renamed.args)) {
      const schema = Object.hasOwn(properties, name) ? properties[name] : (node.additionalProperties ?? true);
      const at = path === "" ? name : `${path}.${name}`;
      if (
        member === null &&
        !required.includes(name) &&
        Object.hasOwn(properties, name) &&
        !this.#fits(schema, null)
      ) {
        this.repairs.push(`${at}: null means absent`);
        changed = true;
        continue;
      }
      const value = this.repair(schema, member, at, depth + 1);
      changed ||= value !== member;
      entries.push([name, value]);
    }
    return changed ? Object.fromEntries(entries) : members;
  }

  #nodesOf(schema: unknown, nodes = new Set<JsonSchema>()): Set<JsonSchema> {
    if (!isPlainObject(schema) || nodes.has(schema) || nodes.size > 64) return nodes;
    const node: JsonSchema = schema;
    nodes.add(node);
    if (node.$ref !== undefined) this.#nodesOf(this.#compiler.references.resolve(node.$ref), nodes);
    for (const branch of listBranches(node)) this.#nodesOf(branch, nodes);
    return nodes;
  }

  #fits(schema: unknown, value: unknown): boolean {
    let validator = this.#validators.get(schema);
    if (validator === undefined) {
      validator = this.#compiler.validator(schema);
      this.#validators.set(schema, validator);
    }
    return validator.check(value);
  }
}

interface Reading {
  value: unknown;
  how: string;
}

function readingsOf(value: unknown): Reading[] {
  if (typeof value === "string") return readingsOfText(value);
  const readings: Reading[] = isPlainObject(value)
    ? [{ value: [value], how: "wrapped an object in a list" }]
    : [];
  const text = textOf(Array.isArray(value) && value.length === 1 ? value[0] : value);
  if (text !== undefined) readings.push({ value: text, how: "extracted the text of a text block" });
  return readings;
}

function readingsOfText(value: string): Reading[] {
  if (value.length > MAX_EMBEDDED_JSON) return [];
  const readings: Reading[] = [];
  const trimmed = value.trim();
  if (NUMBER.test(trimmed) && isExact(trimmed))
    readings.push({ value: Number(trimmed), how: "read a number from a string" });
  const boolean = BOOLEANS.get(trimmed);
  if (boolean !== undefined) readings.push({ value: boolean, how: "read a boolean from a string" });
  if (readings.length === 0 && /^[^\s,;|[\]{}"]+$/.test(value))
    readings.push({ value: [value], how: "wrapped a word in a list" });
  if (/^[[{]/.test(trimmed)) {
    try {
      readings.push({ value: JSON.parse(trimmed) as unknown, how: "parsed JSON from a string" });
    } catch {
      // Not JSON.
    }
  }
  return readings;
}

/** Long ids would lose digits as numbers. */
function isExact(text: string): boolean {
  const number = Number(text);
  return Number.isFinite(number) && (!/^-?\d+$/.test(text) || Number.isSafeInteger(number));
}

function textOf(value: unknown): string | undefined {
  if (!isPlainObject(value)) return undefined;
  const { text, type } = value as { text?: unknown; type?: unknown };
  const size = Object.keys(value).length;
  const isBlock = size === 1 || (size === 2 && type === "text");
  return isBlock && typeof text === "string" ? text : undefined;
}
