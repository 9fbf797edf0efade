/**
 * Adds a JSON Schema to a Standard Schema whose library has none, for the `parameters` of a tool. The model gets the JSON Schema; the
 * Standard Schema validates the arguments.
 *
 * @param input The JSON Schema of the arguments, an object. It may be less strict than the schema.
 * @example
 * ```ts
 * import { defineTool, text, withJsonSchema } from "@haft/plugin-sdk";
 * import { z } from "zod";
 *
 * const greet = defineTool({
 *   name: "greet",
 *   description: "Greets somebody.",
 *   parameters: withJsonSchema(z.object({ name: z.string() }), {
 *     type: "object",
 *     properties: { name: { type: "string" } },
 *     required: ["name"],
 *   }),
 *   effects: [],
 *   execute: async (_toolCallId, { name }) => ({ content: [text(`Hello, ${name}`)], details: {} }),
 * });
 * ```
 */
export function withJsonSchema<Schema extends { readonly "~standard": object }>(
  schema: Schema,
  input: object,
): Pick<Schema, "~standard"> {
  const standard = schema["~standard"] as { version: 1; vendor: string; validate(value: unknown): unknown };
  const { version, vendor } = standard;
  // An instance of a class needs its own `this`.
  const validate = (value: unknown) => standard.validate(value);
  return {
    "~standard": { version, vendor, validate, jsonSchema: { input: () => input } },
  };
}
