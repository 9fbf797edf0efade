import { expect, test } from "vitest";
import { findHeaderProblem } from "../../src/mount/parameter-headers.ts";

const header = (name: unknown, type = "string") => ({ type, "x-mcp-header": name });
const of = (properties: object) => ({ type: "object", properties });

test.each([
  [of({ a: header("") }), 'the name ""'],
  [of({ a: header("two words") }), 'the name "two words"'],
  [of({ a: header("N", "number") }), "not a text, an integer"],
  [of({ a: header("Same"), b: of({ c: header("same") }) }), "the header same twice"],
  [{ ...of({}), "x-mcp-header": "Root" }, "an optional part"],
  [of({ a: { type: "array", items: header("Each") } }), "an optional part"],
  [{ anyOf: [of({ a: header("Some") })] }, "an optional part"],
  [{ $defs: { part: of({ a: header("Part") }) } }, "an optional part"],
])("finds the forbidden header in %j", (schema, problem) => {
  expect(findHeaderProblem(schema)).toContain(problem);
});

test("ignores property names and values that look like the keyword", () => {
  const schema = of({ "x-mcp-header": header("Fine"), b: { enum: [{ "x-mcp-header": 1 }] } });
  expect(findHeaderProblem(schema)).toBeUndefined();
});

test("accepts a schema of any depth", () => {
  let schema: object = header("Deep");
  for (let depth = 0; depth < 100_000; depth++) schema = of({ a: schema });
  expect(findHeaderProblem(schema as Record<string, unknown>)).toBeUndefined();
});
