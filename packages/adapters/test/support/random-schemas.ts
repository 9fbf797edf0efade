import { fc } from "@fast-check/vitest";

type Schema = Record<string, unknown>;

/** A schema and a value that fits it. */
export interface Pair {
  schema: Schema;
  value: unknown;
}

const PROPERTY_NAMES = ["path", "limit", "edits", "name", "a-b", "x.y"];

/** Annotations and bounds that providers make different things of. */
const extras = fc.record(
  {
    description: fc.constant("What it is."),
    title: fc.constant("T"),
    default: fc.constantFrom<unknown>(1, "a", null, []),
    examples: fc.constant([1]),
    $comment: fc.constant("c"),
  },
  { requiredKeys: [] },
);

/** Assertions that strict mode does not have, and that hold for every value here. */
const conditions = JSON.parse(
  '{"if":{"required":["never"]},"then":{"required":["path"]},"not":{"required":["no"]}}',
) as Schema;

const leaf: fc.Arbitrary<Pair> = fc.oneof(
  fc
    .record({ value: fc.string({ maxLength: 5 }), bound: fc.boolean(), format: fc.boolean() })
    .map(({ value, bound, format }) => ({
      schema: {
        type: "string",
        ...(bound && { maxLength: 9, minLength: 0 }),
        ...(format && { format: "made-up" }),
      },
      value,
    })),
  fc.integer({ min: -5, max: 5 }).map((value) => ({
    schema: { type: "integer", minimum: -5, exclusiveMaximum: 6, multipleOf: 1 },
    value,
  })),
  fc.boolean().map((value) => ({ schema: { type: ["boolean", "null"] }, value })),
  fc.constantFrom("a", "b").map((value) => ({ schema: { enum: ["a", "b"] }, value })),
  fc.constantFrom<unknown>("a", 2).map((value) => ({ schema: { const: value }, value })),
  fc.constantFrom<unknown>("a", [1, "b"]).map((value) => ({ schema: {}, value })),
  fc.array(fc.integer(), { maxLength: 2 }).map((value) => ({ schema: { type: "array" }, value })),
  fc.constant({ schema: { $ref: "#/$defs/word", description: "A word." }, value: "word" }),
  fc.constant({ schema: { type: "object", additionalProperties: { type: "string" } }, value: { any: "a" } }),
);

const { node } = fc.letrec<{ node: Pair }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.tuple(leaf, extras).map(([pair, more]) => ({ ...pair, schema: { ...more, ...pair.schema } })),
    fc.array(tie("node"), { minLength: 1, maxLength: 2 }).map((pairs) => ({
      schema: { type: "array", items: pairs[0]!.schema, uniqueItems: false, maxItems: 3 },
      value: [pairs[0]!.value],
    })),
    fc.tuple(tie("node"), tie("node")).map(([one, other]) => ({
      schema: { type: "array", prefixItems: [one.schema, other.schema] },
      value: [one.value, other.value],
    })),
    objectOf(tie("node")),
    fc.tuple(tie("node"), tie("node")).map(([one, other]) => ({
      schema: { anyOf: [one.schema, other.schema] },
      value: other.value,
    })),
    tie("node").map(({ schema, value }) => ({ schema: { oneOf: [schema, { const: "never" }] }, value })),
    objectOf(tie("node")).map(({ schema, value }) => ({ schema: { allOf: [schema] }, value })),
    objectOf(tie("node")).map(({ schema, value }) => ({
      schema: { ...schema, ...conditions },
      value,
    })),
  ),
}));

function objectOf(child: fc.Arbitrary<Pair>): fc.Arbitrary<Pair> {
  return fc
    .record({
      names: fc.uniqueArray(fc.constantFrom(...PROPERTY_NAMES), { maxLength: 3 }),
      children: fc.array(child, { minLength: 3, maxLength: 3 }),
      required: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
      given: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
      closed: fc.constantFrom(false, undefined),
    })
    .map(({ names, children, required, given, closed }) => {
      const schema: Schema = {
        type: "object",
        properties: Object.fromEntries(names.map((name, at) => [name, children[at]!.schema])),
        required: names.filter((_, at) => required[at]),
        ...(closed === false && { additionalProperties: closed }),
      };
      const there = names.flatMap((name, at) =>
        required[at] || given[at] ? [[name, children[at]!.value]] : [],
      );
      return { schema, value: Object.fromEntries(there) as unknown };
    });
}

/** Parameters of a tool, with all that may stand at the top. */
export const parameters: fc.Arbitrary<{ schema: Schema; value: Record<string, unknown> }> = fc
  .record({
    own: objectOf(node),
    branch: objectOf(node),
    how: fc.constantFrom("none", "anyOf", "oneOf", "allOf", "not"),
  })
  .map(({ own, branch, how }) => {
    const $defs = { word: { type: "string", minLength: 1 } };
    const top: Schema = { $defs, ...own.schema };
    if (how === "not") top["not"] = { required: ["never"] };
    if (how === "anyOf" || how === "oneOf") {
      delete top["additionalProperties"];
      top[how] = [{ required: ["never"], type: "object" }, { type: "object" }];
    }
    const value = own.value as Record<string, unknown>;
    if (how !== "allOf") return { schema: top, value };
    delete top["additionalProperties"];
    const others = { ...branch.schema, additionalProperties: true };
    const rest = Object.fromEntries(
      Object.entries(branch.schema["properties"] as Schema).filter(
        ([name]) => !Object.hasOwn(own.schema["properties"] as Schema, name),
      ),
    );
    const free = { ...others, properties: rest, required: [] };
    return { schema: { ...top, allOf: [free] }, value };
  });
