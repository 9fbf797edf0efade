import { Type } from "@sinclair/typebox";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { toAdvertisedSchema } from "../../src/parameters/advertised-schema.ts";
import type { ParameterizedTool } from "../../src/parameters/compiled-spec.ts";
import { validateArguments } from "../../src/parameters/validate-arguments.ts";

const range = { type: "object", properties: { from: { type: "integer", default: 1 } }, required: ["from"] };

const typebox = Type.Object({ sides: Type.Integer({ default: 6 }), count: Type.Integer() });

async function fill(
  parameters: unknown,
  raw: unknown,
  more: Partial<ParameterizedTool> = {},
): Promise<unknown> {
  const result = await validateArguments({ name: "roll", parameters, ...more }, raw);
  return result.ok ? result.args : result.error.message;
}

test.each<[string, unknown, unknown, unknown]>([
  ["TypeBox", typebox, { count: 1 }, { count: 1, sides: 6 }],
  ["TypeBox, optional", Type.Object({ a: Type.Optional(Type.Integer({ default: 2 })) }), {}, { a: 2 }],
  ["JSON Schema", { type: "object", properties: { a: { type: "string", default: "x" } } }, {}, { a: "x" }],
  ["zod", z.object({ a: z.number().default(3) }), {}, { a: 3 }],
  ["a given value", typebox, { count: 1, sides: 4 }, { count: 1, sides: 4 }],
  ["false", { type: "object", properties: { a: { default: false } } }, {}, { a: false }],
  ["null", { type: "object", properties: { a: { default: null } } }, {}, { a: null }],
  [
    "an object that was given",
    { type: "object", properties: { range } },
    { range: {} },
    { range: { from: 1 } },
  ],
  ["an object that was not given", { type: "object", properties: { range } }, {}, {}],
  [
    "an object with a default",
    { type: "object", properties: { range: { ...range, default: {} } } },
    {},
    { range: { from: 1 } },
  ],
  [
    "items of a list",
    { type: "object", properties: { all: { type: "array", items: range } } },
    { all: [{}, { from: 2 }] },
    { all: [{ from: 1 }, { from: 2 }] },
  ],
  [
    "a reference",
    {
      type: "object",
      properties: { a: { $ref: "#/$defs/a" } },
      required: ["a"],
      $defs: { a: { default: 7 } },
    },
    {},
    { a: 7 },
  ],
])("fills in the default: %s", async (_what, parameters, raw, expected) => {
  const filled = await fill(parameters, raw);
  expect(filled).toEqual(expected);
  expect(await fill(parameters, filled)).toEqual(expected);
});

test("fills in a default after aliases and repairs", async () => {
  expect(
    await fill(typebox, { number_of_sides: "8", count: 1 }, { aliases: { sides: ["number_of_sides"] } }),
  ).toEqual({
    sides: 8,
    count: 1,
  });
  expect(await fill(typebox, { count: "2" })).toEqual({ count: 2, sides: 6 });
});

test("changes neither the given arguments nor the default", async () => {
  const parameters = { type: "object", properties: { list: { type: "array", default: ["a"] } } };
  const given = {};
  const first = (await fill(parameters, given)) as { list: string[] };
  first.list.push("b");
  expect(given).toEqual({});
  expect(await fill(parameters, {})).toEqual({ list: ["a"] });
});

test("rejects a call whose default does not fit its schema, and names the parameter", async () => {
  const parameters = Type.Object({ sides: Type.Integer({ default: "six" }) });
  expect(await fill(parameters, {})).toMatch(/sides.*integer/s);
  expect(await fill(parameters, { sides: 6 })).toEqual({ sides: 6 });
});

test("leaves out a default that does not fit, if the parameter is optional", async () => {
  const parameters = { type: "object", properties: { a: { type: "string", default: 1 }, b: { default: 2 } } };
  expect(await fill(parameters, {})).toEqual({ b: 2 });
  expect(await fill(parameters, { a: "x" })).toEqual({ a: "x", b: 2 });
});

test("takes arguments that are nested deeper than a schema can be", async () => {
  const parameters = { type: "object", properties: { data: {}, a: { default: 1 } } };
  let data: unknown = "x";
  for (let depth = 0; depth < 100; depth++) data = { data };
  expect(await fill(parameters, { data })).toEqual({ data, a: 1 });
});

test("fills in nothing by a schema for other names, where a pattern can match", async () => {
  const on = { type: "object", properties: { on: { default: true } } };
  const map = { type: "object", patternProperties: { "^x": {} }, additionalProperties: on };
  const parameters = { type: "object", properties: { map, a: { default: 1 } } };
  expect(await fill(parameters, { map: { x1: {} } })).toEqual({ map: { x1: {} }, a: 1 });
});

test("leaves out only the defaults that do not fit", async () => {
  const inner = { type: "object", properties: { x: { type: "integer", default: "no" }, y: { default: 3 } } };
  const parameters = {
    type: "object",
    properties: {
      a: { type: "string", default: 1 },
      b: { default: 2 },
      c: { ...inner, default: {} },
      list: { type: "array", items: inner },
      d: { type: "object", required: ["z"], properties: { z: { type: "string" } }, default: {} },
    },
  };
  expect(await fill(parameters, { list: [{}, { x: 5 }] })).toEqual({
    b: 2,
    c: { y: 3 },
    list: [{ y: 3 }, { x: 5, y: 3 }],
  });
});

test("leaves defaults to a program that fills them in, except those of required parameters", async () => {
  const parameters = {
    ...typebox,
    properties: { ...typebox.properties, unit: { type: "string", default: "m" } },
  };
  expect(await fill(parameters, { count: 1 }, { fillsDefaults: false })).toEqual({ count: 1, sides: 6 });
  const wrong = { type: "object", properties: { a: { type: "string", default: 1 } }, required: ["a"] };
  expect(await fill(wrong, {}, { fillsDefaults: false })).toMatch(/a.*string/s);
});

describe("for models", () => {
  test("a parameter with a default is optional, also in a list", () => {
    const parameters = {
      ...typebox,
      properties: { ...typebox.properties, all: { type: "array", items: range } },
    };
    expect(toAdvertisedSchema(parameters)).toMatchObject({
      required: ["count"],
      properties: { sides: { default: 6 }, all: { items: { required: [] } } },
    });
    expect(parameters.required).toEqual(["sides", "count"]);
  });

  test("a schema without defaults stays the same object", () => {
    const parameters = Type.Object({ a: Type.Integer() });
    expect(toAdvertisedSchema(parameters)).toBe(parameters);
  });
});
