import { expect, test } from "vitest";
import { findHeaderProblem } from "../../src/mount/parameter-headers.ts";

const header = (name: unknown, type = "string") => ({ type, "x-mcp-header": name });
const of = (properties: object) => ({ type: "object", properties });

test.each([
  [of({ a: header("") }), 'the name ""'],
  [of({ a: header("two words") }), 'the name "two words"'],
  [of({ a: header("N", "number") }), "no text, no integer"],
  [of({ a: header("Same"), b: of({ c: header("same") }) }), "the header same twice"],
  [{ ...of({}), "x-mcp-header": "Root" }, "not always there"],
  [of({ a: { type: "array", items: header("Each") } }), "not always there"],
  [{ anyOf: [of({ a: header("Some") })] }, "not always there"],
  [{ $defs: { part: of({ a: header("Part") }) } }, "not always there"],
])("%j wants a header that is forbidden", (schema, problem) => {
  expect(findHeaderProblem(schema)).toContain(problem);
});

test("what is a name or a value, and no keyword, is none", () => {
  const schema = of({ "x-mcp-header": header("Fine"), b: { enum: [{ "x-mcp-header": 1 }] } });
  expect(findHeaderProblem(schema)).toBeUndefined();
});

test("however deep it is", () => {
  let schema: object = header("Deep");
  for (let depth = 0; depth < 100_000; depth++) schema = of({ a: schema });
  expect(findHeaderProblem(schema as Record<string, unknown>)).toBeUndefined();
});
