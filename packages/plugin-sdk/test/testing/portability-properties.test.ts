import { fc, test as property } from "@fast-check/vitest";
import { expect } from "vitest";
import { checkPortability } from "../../src/testing/portability/check-portability.ts";
import { PROVIDERS, type Provider, SOURCES } from "../../src/testing/portability/sources.ts";

const name = fc.constantFrom("a", "b", "a b", "1st", "x".repeat(70), "ü");
const leaf = fc.oneof(
  fc.record({ type: fc.constantFrom("string", "integer", "boolean", "null") }),
  fc.record(
    {
      type: fc.constant("string"),
      format: fc.constantFrom("uri", "date", "other"),
      pattern: fc.constantFrom("^a", "(?=b)", "\\bc"),
    },
    { requiredKeys: ["type"] },
  ),
  fc.record(
    { type: fc.constant("integer"), minimum: fc.integer(), multipleOf: fc.constant(2) },
    { requiredKeys: ["type"] },
  ),
  fc.record({ enum: fc.uniqueArray(fc.oneof(fc.string(), fc.integer(), fc.boolean()), { minLength: 1 }) }),
  // A schema with such a name is refused as a whole.
  fc.record({
    const: fc.jsonValue({ maxDepth: 1 }).filter((value) => !JSON.stringify(value).includes("__proto__")),
  }),
  fc.constant({ $ref: "#/$defs/d" }),
  fc.constant({}),
);
const { schema: anySchema } = fc.letrec<{ schema: object }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf,
    fc.record(
      { type: fc.constant("array"), items: tie("schema"), minItems: fc.nat(3) },
      { requiredKeys: ["type"] },
    ),
    fc.record({
      type: fc.constant("array"),
      prefixItems: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }),
    }),
    fc.dictionary(name, tie("schema"), { maxKeys: 3 }).map((properties) => ({ type: "object", properties })),
    fc.record({ anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
    fc.record({ oneOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }), description: fc.string() }),
  ),
}));
const whole = fc
  .tuple(fc.dictionary(name, anySchema, { maxKeys: 4 }), anySchema, fc.boolean())
  .map(([properties, d, isClosed]) => ({
    type: "object",
    properties,
    $defs: { d },
    ...(isClosed && { additionalProperties: false }),
  }));

/** What is at a path, and the object that has it. */
function at(schema: unknown, path: string): unknown {
  const segments = path.match(/[^.[\]"]+|"(?:[^"\\]|\\.)*"/g) ?? [];
  let found = schema as Record<string, unknown>;
  for (const segment of segments)
    found = found[segment.startsWith('"') ? (JSON.parse(segment) as string) : segment] as typeof found;
  return found;
}

property.prop([whole])(
  "each finding is where it says, of a keyword that stands there or has to",
  (schema) => {
    const before = JSON.stringify(schema);
    const findings = checkPortability(schema);
    expect(JSON.stringify(schema)).toBe(before);
    expect(checkPortability(structuredClone(schema))).toEqual(findings);
    for (const { provider, keyword, path, problem, fix, source } of findings) {
      expect(Object.keys(PROVIDERS)).toContain(provider);
      expect(problem).toMatch(/\.$/);
      expect(fix).toMatch(/\.$/);
      expect(Object.values(SOURCES).map(({ url }) => url)).toContain(source);
      const place = at(schema, path);
      const mayLack = ["additionalProperties", "items", "required", "properties", "enum", "anyOf"];
      if (!mayLack.includes(keyword)) expect(place).toHaveProperty([keyword]);
      else expect(place).toBeTypeOf("object");
    }
  },
);

property.prop([whole])("without the keyword there is nothing to say of it", (schema) => {
  for (const { provider, keyword, path } of checkPortability(schema)) {
    const copy = structuredClone(schema);
    const place = at(copy, path) as Record<string, unknown>;
    const has = (one: { provider: Provider; keyword: string; path: string }) =>
      one.provider === provider && one.keyword === keyword && one.path === path;
    if (
      !["const", "oneOf", "pattern", "format", "prefixItems", "minimum", "multipleOf", "minItems"].includes(
        keyword,
      )
    )
      continue;
    delete place[keyword];
    expect(checkPortability(copy).some(has)).toBe(false);
  }
});

property.prop([whole])(
  "closing every object and requiring all of it is what strict modes ask of objects",
  (schema) => {
    const strict = (value: unknown): unknown => {
      if (typeof value !== "object" || value === null) return value;
      if (Array.isArray(value)) return value.map(strict);
      const copy = Object.fromEntries(Object.entries(value).map(([key, member]) => [key, strict(member)]));
      return typeof copy["properties"] === "object" && copy["type"] === "object"
        ? { ...copy, required: Object.keys(copy["properties"] as object), additionalProperties: false }
        : copy;
    };
    const found = checkPortability(strict(schema) as object).filter(({ provider }) =>
      provider.endsWith("-strict"),
    );
    expect(
      found.filter(({ keyword }) => keyword === "additionalProperties" || keyword === "required"),
    ).toEqual([]);
  },
);
