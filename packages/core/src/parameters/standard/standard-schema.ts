import { truncate } from "@haft/utils";
import { getErrorMessage } from "../../contract/errors.ts";

/** Foreign functions, which may throw and return anything. */
export interface Standard {
  vendor: string;
  validate: ((value: unknown) => unknown) | undefined;
  toJsonSchema: ((options: { target: string }) => unknown) | undefined;
}

/** Returns `undefined` for other values. May throw. */
export function readStandardSchema(given: unknown): Standard | undefined {
  // The types of arktype are functions.
  if ((typeof given !== "object" && typeof given !== "function") || given === null) return undefined;
  const standard = (given as Record<string, unknown>)["~standard"];
  if (typeof standard !== "object" || standard === null) return undefined;
  const { vendor, validate, jsonSchema } = standard as Record<string, unknown>;
  const input = (jsonSchema as { input?: unknown } | null | undefined)?.input;
  return {
    vendor: typeof vendor === "string" && vendor !== "" ? vendor.slice(0, 64) : "another library",
    validate:
      typeof validate === "function" ? (value) => validate.call(standard, value) as unknown : undefined,
    toJsonSchema:
      typeof input === "function" ? (options) => input.call(jsonSchema, options) as unknown : undefined,
  };
}

const TARGETS = ["draft-2020-12", "draft-07"];

/** Converts to unchecked JSON Schema, or returns the problem (the end of a sentence) with its fix. */
export function readJsonSchema(
  given: object,
  { vendor, toJsonSchema }: Standard,
): { schema: unknown } | { problem: string } {
  const converter = toJsonSchema ?? converterOf(given);
  if (converter === undefined) return { problem: missing(given, vendor) };
  let first: unknown;
  for (const [index, target] of TARGETS.entries()) {
    try {
      return { schema: converter({ target }) };
    } catch (thrown) {
      if (index === 0) first = thrown;
    }
  }
  const reason = truncate(getErrorMessage(first).replaceAll(/\s+/g, " "), 300).replace(/\.$/, "");
  return {
    problem: `has no JSON Schema (${vendor}: ${reason}); describe what a model can send: text, numbers, booleans, lists and objects of these`,
  };
}

function converterOf(given: object): (() => unknown) | undefined {
  const { in: input } = given as { in?: unknown };
  for (const type of [input, given]) {
    const { toJsonSchema } = (type ?? {}) as { toJsonSchema?: unknown };
    if (typeof toJsonSchema === "function") return () => toJsonSchema.call(type) as unknown;
  }
  return undefined;
}

function missing(given: object, vendor: string): string {
  if (vendor === "valibot")
    return "is a schema of valibot, whose JSON Schema is in another package: use toStandardJsonSchema(schema) of @valibot/to-json-schema";
  if (vendor === "zod" && "_zod" in given)
    return 'is a schema of zod without its JSON Schema: update zod to 4.2, or with zod/mini use z.toJSONSchema(schema, { io: "input" })';
  if (vendor === "zod")
    return "is a schema of zod 3, which has no JSON Schema: update zod to 4.2, or use withJsonSchema(schema, zodToJsonSchema(schema)) with zod-to-json-schema and @haft/plugin-sdk";
  return `is a schema of ${vendor} without its JSON Schema: use withJsonSchema(schema, { type: "object", … }) of @haft/plugin-sdk`;
}
