/**
 * Gives a Standard Schema the JSON Schema that its library does not bring, so that it can be the `parameters` of a tool: the
 * model is told the JSON Schema, and the schema judges what arrives.
 *
 * ```ts
 * parameters: withJsonSchema(schema, zodToJsonSchema(schema));
 * ```
 *
 * @param input JSON Schema of the object that goes in. It may say less than the schema.
 */
export function withJsonSchema<Schema extends { readonly "~standard": object }>(
  schema: Schema,
  input: object,
): Pick<Schema, "~standard"> {
  const standard = schema["~standard"] as { version: 1; vendor: string; validate(value: unknown): unknown };
  const { version, vendor } = standard;
  // It may be an instance of a class: what it does stays with it.
  const validate = (value: unknown) => standard.validate(value);
  return {
    "~standard": { version, vendor, validate, jsonSchema: { input: () => input } },
  };
}
