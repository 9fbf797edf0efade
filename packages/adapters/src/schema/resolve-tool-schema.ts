import { getErrorMessage } from "@haft/core";
import { adapterError } from "../errors.ts";

type Schema = Record<string, unknown>;

/** The AI SDK's mark of its own schemas, in every copy and version. */
const OF_AI_SDK = Symbol.for("vercel.ai.schema");
/** Limits schemas that return schemas. */
const MAX_LAYERS = 4;

/**
 * Supports JSON Schema (also TypeBox), Standard Schema with a conversion, schemas of the AI SDK, and schemas with a conversion method.
 *
 * @param tool for messages
 * @param convert the operator's conversion for other schemas
 * @throws `BRIDGE_TOOL_REFUSED`
 */
export async function resolveToolSchema(
  tool: string,
  schema: unknown,
  convert: ((schema: never) => unknown) | undefined,
): Promise<Schema & { type: "object" }> {
  try {
    return objectSchema(tool, plain(tool, await find(tool, schema, convert, 0)));
  } catch (thrown) {
    if ((thrown as { code?: unknown } | null)?.code === "BRIDGE_TOOL_REFUSED") throw thrown;
    throw refused(tool, `has parameters that cannot be made JSON Schema: ${getErrorMessage(thrown)}`);
  }
}

async function find(
  tool: string,
  schema: unknown,
  convert: ((schema: never) => unknown) | undefined,
  layer: number,
): Promise<unknown> {
  if (schema === undefined || schema === null) return { type: "object", properties: {} };
  // The AI SDK makes such schemas on demand.
  if (typeof schema === "function" && !("~standard" in schema) && layer < MAX_LAYERS)
    return find(tool, (schema as () => unknown)(), convert, layer + 1);
  const given = schema as Schema;
  if (given[OF_AI_SDK as unknown as string] === true) return given["jsonSchema"];
  const standard = given["~standard"] as { vendor?: unknown; jsonSchema?: unknown } | undefined;
  const converter = standard?.jsonSchema as { input?: unknown } | undefined;
  if (typeof converter?.input === "function") {
    const input = converter.input.bind(converter) as (options: { target: string }) => unknown;
    return input({ target: "draft-2020-12" });
  }
  for (const method of ["toJSONSchema", "toJsonSchema"]) {
    const make = given[method];
    if (typeof make === "function") return (make as () => unknown).call(schema);
  }
  if (standard === undefined && typeof given["parse"] !== "function") return schema;
  if (convert !== undefined) return convert(schema as never);
  const whose = typeof standard?.vendor === "string" ? standard.vendor : "another library";
  throw refused(
    tool,
    `has a schema of ${whose} that cannot say its JSON Schema: give the bridge a toJsonSchema for such schemas`,
  );
}

/** JSON removes all objects of the library. */
function plain(tool: string, schema: unknown): Schema {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema))
    throw refused(tool, "has parameters that are no schema");
  const { $schema: _, ...copy } = JSON.parse(JSON.stringify(schema)) as Schema;
  return copy;
}

/** Accepts a schema without `type` whose branches are all objects. */
function objectSchema(tool: string, schema: Schema): Schema & { type: "object" } {
  if (schema["type"] === "object") return schema as Schema & { type: "object" };
  const isObject =
    schema["type"] === undefined && ("properties" in schema || isEmpty(schema) || hasObjectBranches(schema));
  if (!isObject) throw refused(tool, "takes something else than an object of parameters");
  return { ...schema, type: "object" };
}

function isEmpty(schema: Schema): boolean {
  return Object.keys(schema).length === 0;
}

function hasObjectBranches(schema: Schema): boolean {
  return ["anyOf", "oneOf", "allOf"].some((keyword) => {
    const branches = schema[keyword];
    return (
      Array.isArray(branches) &&
      branches.length > 0 &&
      (branches as (Schema | null)[]).every((branch) => branch?.["type"] === "object")
    );
  });
}

function refused(tool: string, why: string): Error {
  return adapterError("BRIDGE_TOOL_REFUSED", `${tool} ${why}`, {
    fix: "Give the bridge a toJsonSchema that makes JSON Schema of such schemas, or give the tool one that is JSON Schema.",
  });
}
