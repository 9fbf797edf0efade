import { SECRET_MASK } from "../../format/secret-masker.ts";
import { listBranches, isPlainObject, SchemaReferences } from "../../parameters/schema/json-schema.ts";

const MAX_DEPTH = 64;

export function isMarkedSecret(schema: unknown): boolean {
  if (!isPlainObject(schema)) return false;
  return (
    schema["x-secret"] === true ||
    schema["haft:secret"] === true ||
    schema["writeOnly"] === true ||
    schema["format"] === "password"
  );
}

export function listSecrets(schema: unknown, value: unknown, references: SchemaReferences): string[] {
  const found = new Set<string>();
  const gather = (node: unknown, part: unknown, depth: number): void => {
    if (depth > MAX_DEPTH || part === undefined || !isPlainObject(node)) return;
    if (isMarkedSecret(node)) {
      for (const text of textsIn(part, depth)) found.add(text);
      return;
    }
    for (const [child, inner] of partsOf(node, part, references)) gather(child, inner, depth + 1);
  };
  gather(schema, value, 0);
  return [...found];
}

export function isSecretAt(
  schema: unknown,
  path: readonly (string | number)[],
  references: SchemaReferences,
): boolean {
  const search = (node: unknown, rest: readonly (string | number)[], depth: number): boolean => {
    if (isMarkedSecret(node)) return true;
    if (depth > MAX_DEPTH || !isPlainObject(node)) return false;
    const [key, ...more] = rest;
    if (key === undefined) return false;
    const same = sameValue(node, references).some((other) => search(other, rest, depth + 1));
    return same || search(childAt(node, key), more, depth + 1);
  };
  return search(schema, path, 0);
}

/** Finds possible secrets: an unknown key next to secrets, or a value in place of their object. */
export function mayBeSecretAt(
  schema: unknown,
  path: readonly (string | number)[],
  references: SchemaReferences,
): boolean {
  let nodes = describing([schema], references);
  for (const key of path) {
    const inner = describing(
      nodes.map((node) => childAt(node, key)),
      references,
    );
    if (inner.length === 0) return holdsSecret(nodes, references);
    nodes = inner;
  }
  return holdsSecret(nodes, references);
}

function describing(schemas: readonly unknown[], references: SchemaReferences): Record<string, unknown>[] {
  const found = new Set<Record<string, unknown>>();
  const add = (schema: unknown): void => {
    const node = schema === true ? {} : schema;
    if (!isPlainObject(node) || found.has(node)) return;
    found.add(node);
    for (const other of sameValue(node, references)) add(other);
  };
  for (const schema of schemas) add(schema);
  return [...found];
}

function holdsSecret(schemas: readonly unknown[], references: SchemaReferences): boolean {
  const seen = new Set<unknown>();
  const inspect = (schema: unknown): boolean => {
    if (!isPlainObject(schema) || seen.has(schema)) return false;
    seen.add(schema);
    if (isMarkedSecret(schema)) return true;
    const { properties, patternProperties, additionalProperties, prefixItems, items } = schema;
    const members = [properties, patternProperties].flatMap((map) =>
      isPlainObject(map) ? Object.values(map) : [],
    );
    const listed: unknown[] = Array.isArray(prefixItems) ? prefixItems : [];
    return [...members, ...listed, additionalProperties, items, ...sameValue(schema, references)].some(
      inspect,
    );
  };
  return schemas.some(inspect);
}

/** Names the source of a secret: a variable of the host, or a file. */
export type SecretReference = { env: string } | { file: string };

/**
 * Replaces each reference at a path that the schema marks as secret and at which it allows a string.
 *
 * @param read Returns the value for a path in `value`. Its errors are thrown.
 */
export function resolveSecretReferences(
  schema: object,
  value: unknown,
  read: (reference: SecretReference, path: readonly (string | number)[]) => string,
): unknown {
  const references = new SchemaReferences(schema);
  const resolve = (part: unknown, path: readonly (string | number)[]): unknown => {
    if (path.length > MAX_DEPTH) return part;
    if (Array.isArray(part)) return part.map((one, index) => resolve(one, [...path, index]));
    if (!isPlainObject(part)) return part;
    const isReplaced =
      isSecretReference(part) && isSecretAt(schema, path, references) && allowsText(schema, path, references);
    if (isReplaced) return read(part, path);
    return Object.fromEntries(Object.entries(part).map(([key, one]) => [key, resolve(one, [...path, key])]));
  };
  return resolve(value, []);
}

/** Returns `true` where the schema lists no types. */
function allowsText(
  schema: unknown,
  path: readonly (string | number)[],
  references: SchemaReferences,
): boolean {
  const inner = (nodes: Record<string, unknown>[], key: string | number) =>
    describing(
      nodes.map((node) => childAt(node, key)),
      references,
    );
  const types = path.reduce(inner, describing([schema], references)).flatMap(({ type }) => type ?? []);
  return types.length === 0 || types.includes("string");
}

function isSecretReference(value: Record<string, unknown>): value is SecretReference {
  const [key, other] = Object.keys(value);
  return other === undefined && (key === "env" || key === "file") && typeof value[key] === "string";
}

export function withoutSecrets(schema: object, value: unknown): unknown {
  const references = new SchemaReferences(schema);
  const show = (part: unknown, path: readonly (string | number)[]): unknown => {
    if (isSecretAt(schema, path, references)) return SECRET_MASK;
    if (path.length > MAX_DEPTH) return part;
    if (Array.isArray(part)) return part.map((one, index) => show(one, [...path, index]));
    if (!isPlainObject(part)) return mayBeSecretAt(schema, path, references) ? SECRET_MASK : part;
    return Object.fromEntries(Object.entries(part).map(([key, one]) => [key, show(one, [...path, key])]));
  };
  return show(value, []);
}

function partsOf(
  node: Record<string, unknown>,
  value: unknown,
  references: SchemaReferences,
): [unknown, unknown][] {
  const same = sameValue(node, references).map((other): [unknown, unknown] => [other, value]);
  const members: [string | number, unknown][] = Array.isArray(value)
    ? [...value.entries()]
    : isPlainObject(value)
      ? Object.entries(value)
      : [];
  return [...same, ...members.map(([key, inner]): [unknown, unknown] => [childAt(node, key), inner])];
}

function sameValue(node: Record<string, unknown>, references: SchemaReferences): unknown[] {
  const { $ref } = node;
  const referred = typeof $ref === "string" ? [references.resolve($ref)] : [];
  return [...referred, ...listBranches(node)];
}

function childAt(node: Record<string, unknown>, key: string | number): unknown {
  const { properties, patternProperties, additionalProperties, prefixItems, items } = node;
  if (typeof key === "number") return (Array.isArray(prefixItems) ? prefixItems[key] : undefined) ?? items;
  if (isPlainObject(properties) && Object.hasOwn(properties, key)) return properties[key];
  const byPattern = isPlainObject(patternProperties)
    ? Object.entries(patternProperties).find(([pattern]) => new RegExp(pattern, "u").test(key))
    : undefined;
  return byPattern?.[1] ?? additionalProperties;
}

function textsIn(value: unknown, depth: number): string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number" || typeof value === "bigint") return [String(value)];
  if (depth > MAX_DEPTH || typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((inner) => textsIn(inner, depth + 1));
}
