import { Type } from "@sinclair/typebox";
import { expect, test } from "vitest";
import { parameterFacts } from "../../src/parameters/parameter-facts.ts";

const closed = { additionalProperties: false } as const;

test("names, other spellings and listed values, inner ones too", () => {
  const parameters = Type.Object(
    {
      path: Type.String(),
      mode: Type.Optional(Type.Union([Type.Literal("fast"), Type.Literal("safe")])),
      all: Type.Boolean(),
      tags: Type.Array(Type.Union([Type.Literal("a"), Type.Literal("b")])),
      to: Type.Object({ address: Type.String(), path: Type.String() }, closed),
      edits: Type.Array(Type.Object({ old: Type.String() }, closed)),
    },
    closed,
  );
  expect(parameterFacts({ parameters, aliases: { path: ["file_path", "file"] } })).toEqual([
    { name: "path", aliases: ["file_path", "file"] },
    { name: "mode", values: ["fast", "safe"] },
    { name: "all", values: ["true", "false"] },
    { name: "tags", values: ["a", "b"] },
    { name: "to", compound: true },
    { name: "to.address" },
    { name: "to.path", aliases: ["file_path", "file"] },
    { name: "edits", compound: true },
  ]);
});

test.each<[string, unknown, string[]]>([
  ["more allowed", { properties: { a: { type: "string" } }, additionalProperties: true }, ["*", "a"]],
  ["more of a kind allowed", { properties: {}, patternProperties: { "^x-": {} } }, ["*"]],
  ["nothing said", { type: "object" }, ["*"]],
  [
    "a map",
    { properties: { env: { type: "object", additionalProperties: { type: "string" } } } },
    ["env", "env.*"],
  ],
  ["anything", { properties: { any: {} } }, ["any", "any.*"]],
  [
    "several branches",
    { anyOf: [{ properties: { a: { type: "string" } } }, { properties: { b: { const: 1 } } }] },
    ["a", "b"],
  ],
  [
    "text or object",
    { properties: { a: { anyOf: [{ type: "string" }, { properties: { b: { const: 1 } } }] } } },
    ["a", "a.b"],
  ],
  [
    "a reference",
    { properties: { a: { $ref: "#/$defs/x" } }, $defs: { x: { properties: { b: { const: 1 } } } } },
    ["a", "a.b"],
  ],
  [
    "a schema within itself",
    { properties: { a: { $ref: "#" } } },
    ["a", "a.a", "a.a.a", "a.a.a.a", "a.a.a.a.*"],
  ],
  [
    "too many",
    { properties: Object.fromEntries(Array.from({ length: 600 }, (_, at) => [`p${at}`, { const: 1 }])) },
    expect.arrayContaining(["*"]),
  ],
])("%s", (_what, parameters, names) => {
  expect(parameterFacts({ parameters })?.map(({ name }) => name)).toEqual(names);
});

test.each([
  [{ allOf: [{ enum: ["a"] }, { enum: ["b"] }] }, undefined],
  [{ enum: ["a", 1, null] }, ["a", "1"]],
  [{ enum: [{}] }, undefined],
  [{ anyOf: [{ const: "a" }, { type: "null" }] }, ["a"]],
  [{ anyOf: [{ const: "a" }, { type: "string" }] }, undefined],
])("%j can be %j", (schema, values) => {
  expect(parameterFacts({ parameters: { properties: { a: schema } } })?.[0]?.values).toEqual(values);
});

test.each([
  { $ref: "#/nowhere" },
  { properties: { a: { $ref: "#/nowhere" } } },
  { patternProperties: { "(": {} } },
])("of a schema that cannot be read nothing is known: %j", (parameters) =>
  expect(parameterFacts({ parameters })).toBeUndefined(),
);
