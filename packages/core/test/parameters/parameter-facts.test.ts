import { Type } from "@sinclair/typebox";
import { expect, test } from "vitest";
import { parameterFacts } from "../../src/parameters/parameter-facts.ts";
import { answer, getCode, makeTool, openSession } from "../support/kernel.ts";

const closed = { additionalProperties: false } as const;

test("returns names, aliases and listed values, also of inner parameters", () => {
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
])("returns facts for a schema: %s", (_what, parameters, names) => {
  expect(parameterFacts({ parameters })?.map(({ name }) => name)).toEqual(names);
});

test.each([
  [{ allOf: [{ enum: ["a"] }, { enum: ["b"] }] }, undefined],
  [{ enum: ["a", 1, null] }, ["a", "1"]],
  [{ enum: [{}] }, undefined],
  [{ anyOf: [{ const: "a" }, { type: "null" }] }, ["a"]],
  [{ anyOf: [{ const: "a" }, { type: "string" }] }, undefined],
])("returns for %j the values %j", (schema, values) => {
  expect(parameterFacts({ parameters: { properties: { a: schema } } })?.[0]?.values).toEqual(values);
});

test.each([
  { $ref: "#/nowhere" },
  { properties: { a: { $ref: "#/nowhere" } } },
  { patternProperties: { "(": {} } },
])("returns nothing for an unreadable schema: %j", (parameters) =>
  expect(parameterFacts({ parameters })).toBeUndefined(),
);

const UNTOLD = { "haft:unadvertised": true };

test("hides marked properties from models at any depth, and still accepts and validates them", async () => {
  const item = Type.Object({
    text: Type.String(),
    count: Type.Optional(Type.Integer({ minimum: 1, ...UNTOLD })),
  });
  const tool = makeTool("edit", {
    parameters: Type.Object(
      {
        path: Type.String({ minLength: 1 }),
        hash: Type.Optional(Type.String(UNTOLD)),
        edits: Type.Array(item),
      },
      { additionalProperties: false },
    ),
    execute: (_id, params) => answer(JSON.stringify(params)),
  });
  const session = await openSession({ tools: [tool] });
  expect(JSON.parse(JSON.stringify(session.tools()[0]?.parameters))).toEqual({
    type: "object",
    additionalProperties: false,
    required: ["path", "edits"],
    properties: {
      path: { type: "string" },
      edits: {
        type: "array",
        items: { type: "object", required: ["text"], properties: { text: { type: "string" } } },
      },
    },
  });
  const call = (args: object) => session.call({ name: "edit", arguments: args });
  const given = { path: "a", hash: "1", edits: [{ text: "a", count: 2 }] };
  expect(await call(given)).toMatchObject({ kind: "ok", content: [{ text: JSON.stringify(given) }] });
  for (const wrong of [
    { ...given, path: "" },
    { ...given, edits: [{ text: "a", count: 0 }] },
    { ...given, other: 1 },
  ])
    expect(getCode(await call(wrong))).toBe("INVALID_ARGUMENTS");
});

test("returns a schema without marks unchanged", async () => {
  const parameters = Type.Object({ name: Type.String({ minLength: 2 }), list: Type.Array(Type.Integer()) });
  const session = await openSession({ tools: [makeTool("t", { parameters })] });
  expect(JSON.stringify(session.tools()[0]?.parameters)).toBe(JSON.stringify(parameters));
});

test("returns a value that is not an object schema unchanged", async () => {
  const parameters = {
    type: "object",
    properties: { a: true, b: { enum: [null] }, items: { minLength: 1, type: "string" } },
  };
  const session = await openSession({ tools: [makeTool("t", { parameters: parameters as never })] });
  expect(session.tools()[0]?.parameters).toEqual({
    type: "object",
    properties: { a: true, b: { enum: [null] }, items: { type: "string" } },
  });
});
