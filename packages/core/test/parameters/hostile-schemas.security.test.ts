import { fc, test as property } from "@fast-check/vitest";
import { Type } from "@sinclair/typebox";
import { describe, expect, test } from "vitest";
import { checkTool } from "../../src/compose/tool-check.ts";
import { parameterFacts } from "../../src/parameters/parameter-facts.ts";
import { prepareArguments } from "../../src/parameters/prepare-parameters.ts";
import { readSchema } from "../../src/parameters/read-schema.ts";
import { compileValidator } from "../../src/parameters/schema/validator.ts";
import { getCode, makeTool, openSession, createThrower } from "../support/kernel.ts";

const throwing = createThrower(new Error("no"));
const object = (a: unknown, more: object = {}) => ({ type: "object", properties: { a }, ...more });
const nested = (levels: number) => {
  let schema: object = { type: "string" };
  for (let level = 0; level < levels; level++) schema = { type: "array", items: schema };
  return object(schema);
};
const itself = (): object => {
  const schema: Record<string, unknown> = { type: "object" };
  schema["properties"] = { child: schema };
  return schema;
};
/** Each level refers twice to the next one. */
const doubling = (levels: number) => ({
  ...object({ $ref: "#/$defs/d0" }),
  $defs: Object.fromEntries(
    Array.from({ length: levels }, (_, level) => [
      `d${level}`,
      level === levels - 1
        ? { type: "string" }
        : { allOf: [{ $ref: `#/$defs/d${level + 1}` }, { $ref: `#/$defs/d${level + 1}` }] },
    ]),
  ),
});
/** The same objects again and again: small in memory, and endless as text. */
const shared = () => {
  let schema: object = { type: "string" };
  for (let level = 0; level < 40; level++) schema = { anyOf: [schema, schema] };
  return object(schema);
};

describe("a hostile or malformed schema", () => {
  const cases: [string, unknown, RegExp][] = [
    [
      "huge",
      object({ type: "string", enum: Array.from({ length: 200_000 }, (_, index) => `word${index}`) }),
      /larger than 1,000,000 characters/,
    ],
    ["a text that is huge", object({ description: "x".repeat(2_000_000) }), /larger than/],
    ["deep", nested(90), /nested deeper than/],
    ["far too deep", nested(50_000), /nested deeper than/],
    ["made of itself", itself(), /properties\.child is an object that contains itself/],
    ["endless by the same objects", shared(), /larger than|nested deeper/],
    [
      "refers to itself at once",
      object({ $ref: "#/$defs/a" }, { $defs: { a: { $ref: "#/$defs/a" } } }),
      /refers to itself for the same value/,
    ],
    [
      "refers to itself in a circle",
      object(
        { $ref: "#/$defs/a" },
        {
          $defs: {
            a: { anyOf: [{ type: "string" }, { $ref: "#/$defs/b" }] },
            b: { allOf: [{ $ref: "#/$defs/a" }] },
          },
        },
      ),
      /refers to itself for the same value/,
    ],
    ["is itself", { type: "object", allOf: [{ $ref: "#" }] }, /refers to itself for the same value/],
    ["multiplies", doubling(40), /its references multiply each other/],
    ["refers to nothing", object({ $ref: "#/$defs/none" }), /\$ref "#\/\$defs\/none" does not exist/],
    [
      "refers to the network",
      object({ $ref: "https://schemas.example.com/a.json" }),
      /refers outside of the schema, which is not fetched/,
    ],
    ["refers to a file", object({ $ref: "file:///etc/passwd" }), /refers outside of the schema/],
    ["refers by something else than text", object({ $ref: 5 }), /\$ref must be a string/],
    [
      "a getter that throws",
      object(Object.defineProperty({}, "type", { enumerable: true, get: throwing })),
      /cannot be read: no/,
    ],
    ["a proxy that throws", object(new Proxy({}, { ownKeys: throwing })), /cannot be read: no/],
    [
      "a proxy without an end",
      object(
        new Proxy(
          {},
          {
            ownKeys: () => ["items"],
            getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
            get: (_target, key) => (key === "items" ? { items: object(1) } : undefined),
          },
        ),
      ),
      /items/,
    ],
    [
      "a function",
      object({ type: "string", default: () => "x" }),
      /parameters\.properties\.a\.default is a function/,
    ],
    ["a BigInt", object({ type: "integer", maximum: 10n }), /a\.maximum is a bigint/],
    ["a regular expression", object({ type: "string", pattern: /a/ }), /a\.pattern is a RegExp/],
    ["a date", object({ default: new Date(0) }), /a\.default is a Date/],
    ["no number", object({ type: "number", maximum: Number.POSITIVE_INFINITY }), /a\.maximum is Infinity/],
    [
      "thousands of patterns for names",
      object({
        type: "object",
        patternProperties: Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`^a${index}`, {}])),
      }),
      /patternProperties: there are more than 100/,
    ],
    ["a hole", object({ enum: ["a", undefined] }), /a\.enum\[1\] is undefined/],
    [
      "an instance",
      object(
        new (class Thing {
          type = "string";
        })(),
      ),
      /a is an instance of Thing/,
    ],
    [
      "__proto__ as a parameter",
      { type: "object", properties: JSON.parse('{"__proto__":{"type":"string"}}') },
      /__proto__/,
    ],
    [
      "__proto__ deep inside",
      object(JSON.parse('{"type":"object","properties":{"__proto__":{}}}')),
      /__proto__/,
    ],
    ["an unknown type", object(Type.Date()), /"Date" is not a JSON type/],
    [
      "an invalid pattern",
      object({ type: "string", pattern: "(" }),
      /pattern "\(" is not a regular expression/,
    ],
    ["a name for a list", object({ type: "string", enum: "a" }), /enum must be an array/],
    ["no name at all for what is required", object({}, { required: "a" }), /required must be an array/],
    ["null for a schema", object(null), /a schema must be an object or a boolean/],
    ["a promise", Promise.resolve({}), /not a plain object/],
    ["a JSON text", '{"type":"object"}', /parameters is a string/],
  ];
  test.for(cases)("excludes only its tool, with a diagnostic: %s", async ([_what, parameters, problem]) => {
    expect(checkTool(makeTool("bad", { parameters: parameters as never })).problem).toMatch(problem);
    const session = await openSession({
      tools: [makeTool("bad", { parameters: parameters as never }), makeTool("good")],
    });
    expect(session.tools().map(({ name }) => name)).toEqual(["good"]);
    expect(session.diagnostics()).toMatchObject([{ code: "TOOL_INVALID", names: ["bad"] }]);
    expect(getCode(await session.call({ name: "good", arguments: {} }))).toBe("ok");
  });

  test("excludes a tool whose aliases contradict it", () => {
    const parameters = object({ type: "string" });
    expect(
      checkTool(makeTool("bad", { parameters: parameters as never, aliases: { b: ["c"] } })).problem,
    ).toMatch(/a parameter b that does not exist/);
    expect(
      checkTool(makeTool("good", { parameters: parameters as never, aliases: { a: ["c"] } })).problem,
    ).toBeUndefined();
  });
});

describe("an unusual schema", () => {
  test("is accepted with recursion that consumes depth", async () => {
    const tree = object(
      { $ref: "#/$defs/node" },
      {
        $defs: {
          node: { type: "object", properties: { kids: { type: "array", items: { $ref: "#/$defs/node" } } } },
        },
      },
    );
    const session = await openSession({ tools: [makeTool("tree", { parameters: tree as never })] });
    expect(getCode(await session.call({ name: "tree", arguments: { a: { kids: [{ kids: [] }] } } }))).toBe(
      "ok",
    );
    expect(getCode(await session.call({ name: "tree", arguments: { a: { kids: [{ kids: 1 }] } } }))).toBe(
      "INVALID_ARGUMENTS",
    );
  });

  test("is accepted as a recursive schema of TypeBox", () => {
    const node = Type.Recursive((self) => Type.Object({ kids: Type.Array(self) }));
    expect(checkTool(makeTool("tree", { parameters: Type.Object({ root: node }) })).problem).toBeUndefined();
  });

  test("is accepted with undefined members and shared objects", () => {
    const text = { type: "string", description: undefined };
    const schema = { type: "object", properties: { a: text, b: text } };
    const { tool } = checkTool(makeTool("two", { parameters: schema as never }));
    expect(tool!.parameters).toEqual({
      type: "object",
      properties: { a: { type: "string" }, b: { type: "string" } },
    });
  });

  test("is accepted with data that looks like a schema", () => {
    const schema = object({ const: { $ref: "#/nowhere" } }, { required: ["a"] });
    expect(checkTool(makeTool("data", { parameters: schema as never })).problem).toBeUndefined();
  });
});

test("reads a schema once, so later changes have no effect", async () => {
  let asked = 0;
  const schema = object({ type: "string" });
  Object.defineProperty(schema, "required", { enumerable: true, get: () => (asked++ < 1 ? ["a"] : []) });
  const session = await openSession({ tools: [makeTool("shifty", { parameters: schema as never })] });
  schema.properties.a = { type: "number" };
  expect(session.tools()[0]!.parameters).toEqual({ ...object({ type: "string" }), required: ["a"] });
  expect(getCode(await session.call({ name: "shifty", arguments: {} }))).toBe("INVALID_ARGUMENTS");
  expect(getCode(await session.call({ name: "shifty", arguments: { a: "x" } }))).toBe("ok");
});

test("reads a changed schema again and shares an unchanged schema", () => {
  const schema = object({ type: "string", enum: ["a"] });
  const first = readSchema(schema, "parameters");
  expect(readSchema(schema, "parameters")).toBe(first);
  (schema.properties.a as { enum: string[] }).enum = ["b"];
  expect(readSchema(schema, "parameters")).toMatchObject({ schema: { properties: { a: { enum: ["b"] } } } });
  expect(first).toMatchObject({ schema: { properties: { a: { enum: ["a"] } } } });
});

describe("schemas with mutual references", () => {
  const many = Array.from({ length: 1500 }, () => ({
    properties: { p: { $ref: "#/$defs/all" } },
    unevaluatedProperties: false,
  }));
  const web = { type: "object", properties: { a: { $ref: "#/$defs/all" } }, $defs: { all: { anyOf: many } } };

  test("cost a limited time in facts for policies", () => {
    const facts = parameterFacts({ parameters: web });
    expect(facts === undefined || facts.length <= 501).toBe(true);
  });

  test("cost a limited time when tools are composed", () => {
    expect(typeof checkTool(makeTool("web", { parameters: web as never }))).toBe("object");
  });

  test("cost a limited time for large arguments with many alternatives", () => {
    const anyOf = Array.from({ length: 20_000 }, (_, index) => ({ const: `word${index}` }));
    const check = compileValidator({ type: "array", items: { anyOf } });
    expect(check.check(["word19999", "word19999", "none"])).toBe(false);
    expect(check.check(Array.from({ length: 100 }, () => "word19999"))).toBe(true);
    // More than the twenty million alternatives that are tried at most.
    const [first] = check.errors(Array.from({ length: 1_100 }, () => "word0"));
    expect(first).toMatchObject({ kind: "wrong", expected: "a value with fewer alternatives to try" });
  });

  test("cost a limited time in repairs", () => {
    const bomb = {
      $defs: { b: { anyOf: [{ $ref: "#/$defs/b" }, { $ref: "#/$defs/b" }] } },
      type: "object",
      properties: { list: { type: "array", items: { $ref: "#/$defs/b" } } },
    };
    const list = Array.from({ length: 500 }, (_, index) => `{"a":${index}}`);
    expect(prepareArguments({ name: "bomb", parameters: bomb }, { list }).ok).toBe(false);
  });
});

property.prop([
  fc.anything({ maxDepth: 6, withBigInt: true, withDate: true, withMap: true, withNullPrototype: true }),
])("whatever is given, reading it never throws, and what is read is JSON", (given) => {
  for (const schema of [given, object(given), { type: "object", $defs: { a: given } }]) {
    const read = readSchema(schema, "parameters");
    if ("schema" in read) expect(JSON.parse(JSON.stringify(read.schema))).toEqual(read.schema);
    else expect(read.problem).toMatch(/^parameters/);
  }
});
