import { describe, expect, test } from "vitest";
import { defineTool, text, Type } from "../../src/index.ts";
import { checkPortability } from "../../src/testing/portability/check-portability.ts";
import { FIXES, KEYWORD_RULES, SUPPORTED_KEYWORDS } from "../../src/testing/portability/keyword-rules.ts";
import { FORMATS, LIMIT_RULES, NAME_RULES } from "../../src/testing/portability/limits.ts";
import { PROVIDERS, SOURCES } from "../../src/testing/portability/sources.ts";
import { STRUCTURE_RULES } from "../../src/testing/portability/structure-rules.ts";

const object = (a: unknown, more: object = {}) => ({ type: "object", properties: { a }, ...more });
const inWords = (given: object) =>
  checkPortability(given).map(
    ({ provider, keyword, path, severity }) => `${provider} ${severity} ${keyword} ${path}`,
  );
const many = (count: number) => Array.from({ length: count }, (_, index) => `word${index}`);

/** What every provider takes in each of its ways. */
const portable = Type.Object(
  { city: Type.String({ description: "Where." }), days: Type.Integer() },
  { additionalProperties: false },
);

describe("findings and their paths", () => {
  const cases: [string, object, string[]][] = [
    [
      "a const",
      object({ const: "x" }),
      ["gemini ignored const properties.a", "gemini-openapi breaks const properties.a"],
    ],
    [
      "oneOf",
      object({ oneOf: [{ type: "string" }, { type: "null" }] }),
      [
        "openai-strict breaks oneOf properties.a",
        "gemini ignored oneOf properties.a",
        "anthropic-strict breaks oneOf properties.a",
        "gemini-openapi breaks oneOf properties.a",
      ],
    ],
    [
      "a union at the top",
      object({ type: "string" }, { anyOf: [{ required: ["a"] }, {}] }),
      [
        "openai breaks anyOf ",
        "openai-strict breaks anyOf ",
        "anthropic breaks anyOf ",
        "anthropic-strict breaks anyOf ",
      ],
    ],
    ["a union below it", object({ anyOf: [{ type: "string" }, { type: "null" }] }), []],
    [
      "a list that does not say of what",
      object({ type: "array" }),
      ["openai breaks items properties.a", "openai-strict breaks items properties.a"],
    ],
    [
      "a tuple",
      object({ type: "array", prefixItems: [{ type: "string" }] }),
      ["openai-strict breaks prefixItems properties.a", "anthropic-strict breaks prefixItems properties.a"],
    ],
    [
      "the older tuple",
      object({ type: "array", items: [{ type: "string" }] }),
      ["openai-strict breaks items properties.a"],
    ],
    [
      "optional ones",
      object({ type: "string" }),
      [
        "openai-strict breaks required ",
        "openai-strict breaks additionalProperties ",
        "anthropic-strict breaks additionalProperties ",
      ],
    ],
    [
      "an open object deep inside",
      object({ type: "array", items: { type: "object", properties: { b: {} } } }),
      [
        "openai-strict breaks additionalProperties properties.a.items",
        "openai-strict breaks required properties.a.items",
      ],
    ],
    [
      "a format one does not have",
      object({ type: "string", format: "uri" }),
      ["openai-strict breaks format properties.a"],
    ],
    ["a bound", object({ type: "integer", minimum: 1 }), ["anthropic-strict breaks minimum properties.a"]],
    ["a pattern", object({ type: "string", pattern: "^[a-z]+$" }), ["gemini ignored pattern properties.a"]],
    [
      "a pattern that looks ahead",
      object({ type: "string", pattern: "^(?!x)" }),
      ["anthropic-strict breaks pattern properties.a"],
    ],
    [
      "two items at least",
      object({ type: "array", items: {}, minItems: 2 }),
      ["anthropic-strict breaks minItems properties.a"],
    ],
    ["numbers for an enum", object({ enum: [1, 2] }), ["gemini-openapi breaks enum properties.a"]],
    [
      "booleans for one",
      object({ enum: [true] }),
      ["gemini ignored enum properties.a", "gemini-openapi breaks enum properties.a"],
    ],
    ["several types", object({ type: ["string", "null"] }), ["gemini-openapi breaks type properties.a"]],
    [
      "a name with a blank",
      { type: "object", properties: { "a b": {} } },
      ['anthropic breaks properties properties["a b"]', 'gemini-openapi breaks properties properties["a b"]'],
    ],
    [
      "one with a dash",
      { type: "object", properties: { "a-b": {} } },
      ['gemini-openapi breaks properties properties["a-b"]'].map((line) =>
        line.replace('properties["a-b"]', "properties.a-b"),
      ),
    ],
    [
      "a reference",
      object({ $ref: "#/$defs/a" }, { $defs: { a: { type: "string" } } }),
      ["gemini-openapi breaks $defs ", "gemini-openapi breaks $ref properties.a"],
    ],
    [
      "a reference with something beside it",
      object({ $ref: "#/$defs/a", description: "A." }, { $defs: { a: { type: "string" } } }),
      ["gemini breaks $ref properties.a"],
    ],
    [
      "recursion",
      object({ $ref: "#/$defs/a" }, { $defs: { a: { type: "array", items: { $ref: "#/$defs/a" } } } }),
      ["anthropic-strict breaks $ref $defs.a.items"],
    ],
    [
      "recursion of TypeBox",
      Type.Object({ a: Type.Recursive((self) => Type.Object({ b: Type.Array(self) })) }),
      ["anthropic-strict breaks $ref properties.a.properties.b.items"],
    ],
    [
      "an enum that is too large",
      object({ type: "string", enum: many(3000) }),
      ["openai-strict breaks enum ", "openai-strict breaks enum properties.a"],
    ],
    [
      "25 optional ones",
      { type: "object", properties: Object.fromEntries(many(25).map((name) => [name, {}])) },
      ["anthropic-strict breaks required "],
    ],
    [
      "twelve levels",
      Array.from({ length: 12 }).reduce<object>((inner) => object(inner), { type: "string" }),
      [
        "openai-strict breaks properties properties.a.properties.a.properties.a.properties.a.properties.a.properties.a.properties.a.properties.a.properties.a.properties.a.properties.a",
      ],
    ],
  ];
  test.for(cases)("%s", ([_what, schema, expected]) => {
    const found = inWords(schema);
    for (const line of expected) expect(found).toContain(line);
    if (expected.length === 0)
      expect(found.filter((line) => !/additionalProperties|required/.test(line))).toEqual([]);
  });

  test("a long description, of a tool", () => {
    const tool = defineTool({
      name: "weather",
      description: "x".repeat(1025),
      parameters: portable,
      effects: [],
      execute: () => ({ content: [text("")], details: {} }),
    });
    const closed = "gemini-openapi breaks additionalProperties ";
    expect(inWords(tool)).toEqual([
      "openai breaks description ",
      "openai-strict breaks description ",
      closed,
    ]);
    expect(inWords({ ...tool, description: "x".repeat(1024) })).toEqual([closed]);
    expect(inWords({ ...tool, description: "", name: "a.b" })).toEqual([
      "openai breaks name ",
      "openai-strict breaks name ",
      "anthropic breaks name ",
      "anthropic-strict breaks name ",
      closed,
    ]);
  });

  test("nothing, of what all of them take", () => {
    // But for the word that closes objects, which OpenAPI's subset does not have and the strict ones ask for.
    expect(inWords(portable)).toEqual(["gemini-openapi breaks additionalProperties "]);
  });

  test("what Haft itself does not take is an error, and no list", () => {
    expect(() => checkPortability({ type: "array" })).toThrow(/must be an object schema/);
    expect(() => checkPortability(object(() => 1))).toThrow(/properties\.a is a function/);
    expect(() => checkPortability({ "~standard": { version: 1, vendor: "joi" } })).toThrow(/schema of joi/);
  });

  test("checks the JSON Schema of a Standard Schema", () => {
    const schema = {
      "~standard": {
        version: 1,
        vendor: "x",
        validate: () => ({}),
        jsonSchema: { input: () => object({ const: 1 }) },
      },
    };
    expect(inWords(schema)).toContain("gemini ignored const properties.a");
  });
});

describe("the table of rules", () => {
  const rules = [
    ...KEYWORD_RULES,
    ...SUPPORTED_KEYWORDS,
    ...NAME_RULES,
    ...LIMIT_RULES,
    ...STRUCTURE_RULES,
    ...Object.values(FORMATS),
  ];

  test("has a source for each, with a day, and no source for nothing", () => {
    const used = new Set<string>(rules.map(({ source }) => source));
    // The list of fields says what there is; that others are refused, an error said.
    used.add("geminiSchema");
    expect([...used].toSorted()).toEqual(Object.keys(SOURCES).toSorted());
    for (const { url, date } of Object.values(SOURCES)) {
      expect(URL.canParse(url)).toBe(true);
      expect(date).toMatch(/^20\d\d-\d\d-\d\d$/);
    }
  });

  test("speaks of every provider, and of no keyword twice for one", () => {
    const named = new Set(
      rules.flatMap((rule) =>
        "providers" in rule ? rule.providers : "provider" in rule ? [rule.provider] : [],
      ),
    );
    expect([...named].toSorted()).toEqual(Object.keys(PROVIDERS).toSorted());
    const fixes = FIXES.flatMap(({ keywords }) => keywords);
    expect(new Set(fixes).size).toBe(fixes.length);
  });
});
