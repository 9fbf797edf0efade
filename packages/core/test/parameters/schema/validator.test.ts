import { fc, test } from "@fast-check/vitest";
import { type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { describe, expect, it } from "vitest";
import { scaleRuns } from "../../../../../test/support/share.ts";
import { compileValidator } from "../../../src/parameters/schema/validator.ts";

const messages = (schema: unknown, value: unknown): string[] =>
  compileValidator(schema)
    .errors(value)
    .map((issue) => issue.message);

describe("malformed schemas", () => {
  const cyclic: Record<string, unknown> = { type: "object" };
  cyclic["properties"] = { self: cyclic };
  let deep: unknown = { type: "string" };
  for (let level = 0; level < 10_000; level++) deep = { items: deep };
  const hostile = {
    get type(): string {
      throw new Error("boom");
    },
  };
  it.each<[string, unknown]>([
    ["null", null],
    ["a string", "object"],
    ["an array", []],
    ["an unknown type", { type: "strng" }],
    ["a type JSON does not have", Type.Object({ at: Type.Date() })],
    ["no type at all", { type: [] }],
    ["properties that are an array", { properties: [] }],
    ["a property that is no schema", { properties: { a: 5 } }],
    ["required that is a boolean", { required: true }],
    ["enum that is a string", { enum: "a" }],
    ["a pattern that is no expression", { pattern: "(" }],
    ["a pattern property that is no expression", { patternProperties: { "[": {} } }],
    ["a bound that is a string", { minimum: "1" }],
    ["a negative length", { minLength: -1 }],
    ["steps of zero", { multipleOf: 0 }],
    ["an empty anyOf", { anyOf: [] }],
    ["a $ref that leads nowhere", { $ref: "#/$defs/none" }],
    ["a $ref to another document", { $ref: "https://example.com/schema.json" }],
    ["a $ref that is a number", { $ref: 5 }],
    ["a schema that contains itself", cyclic],
    ["a schema nested ten thousand deep", deep],
    ["a schema whose getter throws", hostile],
  ])("cause TOOL_INVALID: %s", (_, schema) => {
    expect(() => compileValidator(schema)).toThrow(expect.objectContaining({ code: "TOOL_INVALID" }));
  });

  it("cause an error with the location", () => {
    expect(() => compileValidator({ properties: { a: { items: { type: "strng" } } } })).toThrow(
      'The schema is malformed at /properties/a/items/type: "strng" is not a JSON type.',
    );
  });
});

describe("issues", () => {
  const edits = Type.Object({
    path: Type.String(),
    edits: Type.Array(Type.Object({ oldText: Type.String(), newText: Type.String() })),
    mode: Type.Optional(Type.Union([Type.Literal("fast"), Type.Literal("safe")])),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10 })),
  });

  it.each<[unknown, string[]]>([
    [null, ["arguments must be object, received null"]],
    [{}, ["missing path (string)", "missing edits (array of object)"]],
    [
      { path: 5, edits: [{ oldText: 1, newText: "" }, "x"] },
      [
        "path must be string, received number 5",
        "edits[0].oldText must be string, received number 1",
        'edits[1] must be object, received string "x"',
      ],
    ],
    [{ path: "a", edits: [], mode: "slow" }, ['mode must be one of "fast", "safe", received string "slow"']],
    [{ path: "a", edits: [], limit: 1.5 }, ["limit must be integer from 1 to 10, received number 1.5"]],
    [{ path: "a", edits: [], limit: 11 }, ["limit must be integer from 1 to 10, received number 11"]],
  ])("explain invalid arguments: %j", (value, expected) => {
    expect(messages(edits, value)).toEqual(expected);
  });

  it("count a long value instead of showing it", () => {
    expect(messages({ type: "number" }, "x".repeat(10 * 1024 * 1024))).toEqual([
      "arguments must be number, received string of 10485760 characters",
    ]);
  });

  it("explain a variant by the closest variant", () => {
    const schema = Type.Union([
      Type.Object({ kind: Type.Literal("a"), size: Type.Number() }),
      Type.Object({ kind: Type.Literal("b"), name: Type.String() }),
    ]);
    expect(messages(schema, { kind: "b", name: 5 })).toEqual(["name must be string, received number 5"]);
  });

  it("number at most ten, each short", () => {
    const issues = compileValidator({ items: { enum: ["x".repeat(5000)] } }).errors(
      Array(100_000).fill("y".repeat(99)),
    );
    expect(issues).toHaveLength(10);
    for (const issue of issues) expect(issue.message.length).toBeLessThanOrEqual(300);
  });
});

describe("keywords", () => {
  const cyclicNames = {
    $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } }, required: ["id"] } },
    $ref: "#/$defs/node",
  };
  it.each<[string, unknown, unknown[], unknown[]]>([
    ["types", { type: ["string", "null"] }, ["", null], [0, undefined, [], {}]],
    ["integer", { type: "integer" }, [1, -0, 1e20], [1.5, "1", Number.NaN, Number.POSITIVE_INFINITY]],
    ["number", { type: "number" }, [1.5], [Number.NaN, Number.POSITIVE_INFINITY]],
    ["object", { type: "object" }, [{}, Object.create(null)], [[], null, new Map(), new Date()]],
    ["enum", { enum: [1, { a: [2] }] }, [1, { a: [2] }], [2, { a: [2, 3] }, "1"]],
    ["const", { const: { a: 1, b: 2 } }, [{ b: 2, a: 1 }], [{ a: 1 }, null]],
    ["boolean schemas", { properties: { a: true, b: false } }, [{ a: 1 }, 5], [{ b: 1 }]],
    ["required", { required: ["constructor"] }, [{ constructor: 1 }, []], [{}]],
    [
      "lengths are characters",
      { minLength: 2, maxLength: 3 },
      ["ab", "😀😀", "😀😀😀"],
      ["a", "😀", "abcd", "😀😀😀😀"],
    ],
    ["pattern", { pattern: "^\\p{L}+$" }, ["é", 5], ["1", ""]],
    ["legacy pattern", { pattern: "^[\\w-.]+$" }, ["a-b.c"], ["a b"]],
    ["bounds", { minimum: 1, exclusiveMaximum: 2 }, [1, 1.5, "x"], [0.9, 2]],
    ["exclusive bounds", { exclusiveMinimum: 1, maximum: 2 }, [1.1, 2], [1, 2.1]],
    ["multipleOf", { multipleOf: 0.1 }, [0.3, 1, -0.7], [0.35]],
    [
      "items",
      { items: { type: "number" }, minItems: 1, maxItems: 2 },
      [[1], [1, 2], {}],
      [[], [1, 2, 3], ["1"]],
    ],
    ["prefixItems", { prefixItems: [{ type: "string" }], items: false }, [["a"], []], [["a", 1], [1]]],
    [
      "legacy tuples",
      { items: [{ type: "string" }], additionalItems: { type: "number" } },
      [["a", 1]],
      [["a", "b"]],
    ],
    ["contains", { contains: { const: 1 }, maxContains: 1 }, [[1, 2]], [[2], [1, 1]]],
    [
      "uniqueItems",
      { uniqueItems: true },
      [[1, "1", { a: 1 }, '{"a":1}']],
      [
        [1, 1],
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
      ],
    ],
    [
      "additionalProperties",
      { properties: { a: {} }, additionalProperties: { type: "number" } },
      [{ a: "", b: 1 }],
      [{ b: "" }],
    ],
    [
      "patternProperties",
      { patternProperties: { "^x": { type: "number" } }, additionalProperties: false },
      [{ x1: 1 }],
      [{ x1: "" }, { y: 1 }],
    ],
    [
      "patterns hold for declared names too",
      { properties: { xa: { minimum: 1 } }, patternProperties: { "^x": { maximum: 5 } } },
      [{ xa: 3 }],
      [{ xa: 0 }, { xa: 6 }],
    ],
    ["propertyNames", { propertyNames: { maxLength: 2 } }, [{ ab: 1 }], [{ abc: 1 }]],
    ["min and maxProperties", { minProperties: 1, maxProperties: 1 }, [{ a: 1 }, []], [{}, { a: 1, b: 1 }]],
    ["anyOf", { anyOf: [{ type: "string" }, { minimum: 5 }] }, ["", 5], [4]],
    ["oneOf", { oneOf: [{ minimum: 5 }, { maximum: 10 }] }, [1, 11], [7]],
    ["allOf", { allOf: [{ minimum: 5 }, { maximum: 10 }] }, [7], [1, 11]],
    ["not", { not: { type: "string" } }, [1], [""]],
    [
      "if, then, else",
      // oxlint-disable-next-line no-thenable
      { if: { type: "string" }, then: { minLength: 2 }, else: { minimum: 5 } },
      ["ab", 5],
      ["a", 4],
    ],
    [
      "unevaluatedProperties",
      { allOf: [{ properties: { a: {} } }, { properties: { b: {} } }], unevaluatedProperties: false },
      [{ a: 1, b: 2 }],
      [{ c: 1 }],
    ],
    ["recursion", cyclicNames, [{ id: 1, next: { id: 2 } }], [{ id: 1, next: {} }]],
    ["$anchor", { $defs: { s: { $anchor: "here", type: "string" } }, $ref: "#here" }, [""], [1]],
    [
      "pointers with escapes",
      { $defs: { "a/b~c d": { type: "string" } }, $ref: "#/$defs/a~1b~0c%20d" },
      [""],
      [1],
    ],
    [
      "undefined is absent",
      { properties: { a: { type: "string" }, b: {} }, required: ["b"], additionalProperties: false },
      [{ a: undefined, b: 1, c: undefined }],
      [{ b: undefined }],
    ],
  ])("are supported: %s", (_, schema, valid, invalid) => {
    const { check, errors } = compileValidator(schema);
    for (const value of valid) expect(errors(value)).toEqual([]);
    for (const value of invalid) {
      expect({ value, valid: check(value) }).toEqual({ value, valid: false });
      expect(errors(value).length).toBeGreaterThan(0);
    }
  });

  it("include recursive, module and record types of TypeBox", () => {
    const tree = Type.Recursive((self) => Type.Object({ name: Type.String(), children: Type.Array(self) }));
    const { check } = compileValidator(tree);
    expect(check({ name: "a", children: [{ name: "b", children: [] }] })).toBe(true);
    expect(check({ name: "a", children: [{ name: 1, children: [] }] })).toBe(false);
    const module = Type.Module({ Id: Type.String(), User: Type.Object({ id: Type.Ref("Id") }) });
    expect(compileValidator(module.Import("User")).check({ id: "x" })).toBe(true);
    expect(compileValidator(module.Import("User")).check({ id: 1 })).toBe(false);
    expect(compileValidator(Type.Record(Type.String(), Type.Number())).check({ a: "x" })).toBe(false);
  });
});

describe("a closed schema", () => {
  const closed = (schema: unknown, value: unknown): string[] =>
    compileValidator(schema, { closed: true })
      .errors(value)
      .map((issue) => issue.message);

  it("refuses undeclared names, with the nearest name", () => {
    expect(closed({ properties: { path: {} } }, { pth: 1 })).toEqual([
      "unknown parameter pth (did you mean path?)",
    ]);
    expect(closed({ anyOf: [{ properties: { a: {} } }, { properties: { b: {} } }] }, { c: 1 })).not.toEqual(
      [],
    );
  });

  it("allows other names if it says so or has no rule for names", () => {
    expect(closed({ type: "object" }, { a: 1 })).toEqual([]);
    expect(closed({ properties: { a: {} }, additionalProperties: true }, { b: 1 })).toEqual([]);
    expect(closed({ properties: { a: {} }, patternProperties: { "^x-": {} } }, { "x-b": 1 })).toEqual([]);
  });

  it("is closed only at the top", () => {
    const schema = { properties: { a: { properties: { b: {} } } } };
    expect(closed(schema, { a: { c: 1 } })).toEqual([]);
  });
});

const name = fc.constantFrom("a", "b", "c");
const { schema } = fc.letrec<{ schema: TSchema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<TSchema>(
      Type.String(),
      Type.Number(),
      Type.Integer(),
      Type.Boolean(),
      Type.Null(),
      Type.Unknown(),
      Type.Never(),
      Type.String({ minLength: 1, maxLength: 3 }),
      Type.Number({ minimum: 0, exclusiveMaximum: 5 }),
      Type.Literal("a"),
    ),
    tie("schema").map((item) => Type.Array(item, { maxItems: 3 })),
    tie("schema").map((item) => Type.Array(item, { uniqueItems: true })),
    fc
      .tuple(
        fc.dictionary(name, fc.tuple(tie("schema"), fc.boolean())),
        fc.constantFrom({}, { additionalProperties: false }),
      )
      .map(([members, options]) =>
        Type.Object(
          Object.fromEntries(
            // TypeBox takes a required member for present where its schema accepts undefined; JSON Schema does not.
            Object.entries(members).map(([key, [child, optional]]) => [
              key,
              optional || Value.Check(child, undefined) ? Type.Optional(child) : child,
            ]),
          ),
          options,
        ),
      ),
    fc.array(tie("schema"), { minLength: 1, maxLength: 3 }).map((branches) => Type.Union(branches)),
    fc.array(tie("schema"), { minLength: 1, maxLength: 2 }).map((branches) => Type.Intersect(branches)),
    fc.array(tie("schema"), { maxLength: 3 }).map((items) => Type.Tuple(items)),
    tie("schema").map((value) => Type.Record(Type.String(), value)),
    tie("schema").map((refused) => Type.Not(refused)),
  ),
}));
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, true, false, 0, 1, 2.5, -1, 7, "", "a", "abcd"),
    fc.array(tie("json"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom("a", "b", "c", "d"), tie("json"), { maxKeys: 3 }),
  ),
}));

test.prop([schema, json], { numRuns: scaleRuns(3000, 5) })(
  "agrees with TypeBox and explains exactly the refused values",
  (type, value) => {
    const { check, errors } = compileValidator(type);
    expect(check(value)).toBe(Value.Check(type, value));
    expect(errors(value).length === 0).toBe(check(value));
  },
);
