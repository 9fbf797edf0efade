import { isObject } from "../../parameters/schema/value-kinds.ts";

/** The part of a Standard Schema that is used here; see standardschema.dev. */
export interface StandardSchema {
  readonly vendor: string;
  /** May answer with a promise. */
  validate(value: unknown): unknown;
  /** JSON Schema of what it takes. */
  readonly jsonSchema?: { input(options: { target: string }): unknown };
}

/** Of a library's schema, which may be a function; `undefined` for JSON Schema. */
export function standardOf(schema: object): StandardSchema | undefined {
  const standard = (schema as { "~standard"?: unknown })["~standard"];
  return isObject(standard) && typeof standard["validate"] === "function"
    ? (standard as unknown as StandardSchema)
    : undefined;
}

/** What a schema takes, as JSON Schema; `undefined` where its library does not say. May throw as the library does. */
export function jsonSchemaOf(schema: object): object | undefined {
  const standard = standardOf(schema);
  if (standard === undefined) return schema;
  const said = standard.jsonSchema?.input({ target: "draft-2020-12" });
  return isObject(said) ? said : undefined;
}

/** What a schema said of a value. */
export type Validated = { value: unknown } | { issues: { path: (string | number)[]; message: string }[] };

/** Reads a foreign answer. */
export async function validated(standard: StandardSchema, value: unknown): Promise<Validated> {
  const said = (await standard.validate(value)) as {
    value?: unknown;
    issues?: readonly { message?: unknown; path?: readonly unknown[] }[];
  };
  if (said.issues === undefined || said.issues === null) return { value: said.value };
  return {
    issues: Array.from(said.issues, ({ message, path = [] }) => ({
      message: String(message),
      path: Array.from(path, (part) => {
        const key: unknown = isObject(part) && "key" in part ? part["key"] : part;
        return typeof key === "number" ? key : String(key);
      }),
    })),
  };
}
