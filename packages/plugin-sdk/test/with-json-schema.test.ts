import { describe, expect, expectTypeOf, test } from "vitest";
import * as z from "zod";
import { z as z3 } from "zod-3";
import { defineTool, text, withJsonSchema } from "../src/index.ts";
import { testTool } from "../src/testing/index.ts";

const base = { name: "forecast", description: "Tells the weather.", effects: [] };

describe("a schema whose library has no JSON Schema", () => {
  const schema = z3.object({ city: z3.string().trim(), days: z3.number().default(3) });
  const forecast = defineTool({
    ...base,
    parameters: withJsonSchema(schema, {
      type: "object",
      properties: { city: { type: "string" }, days: { type: "number" } },
      required: ["city"],
    }),
    execute: (_id, params) => {
      expectTypeOf(params).toEqualTypeOf<{ city: string; days: number }>();
      return { content: [text(`${params.days} in ${params.city}`)], details: {} };
    },
  });

  test("is accepted with a JSON Schema, and validates", async () => {
    expect((await testTool(forecast, { city: " Oslo " })).text).toBe("3 in Oslo");
    const refused = await testTool(forecast, { city: 5 });
    expect(refused.outcome).toMatchObject({ code: "INVALID_ARGUMENTS" });
    expect(refused.text).toMatch(/city must be string, received number 5/);
  });

  test("is an error that names the way out without one", async () => {
    const { outcome, text: said } = await testTool(
      defineTool({ ...base, parameters: schema, execute: () => ({ content: [], details: {} }) }),
      {},
    );
    expect(outcome).toMatchObject({ code: "TOOL_UNAVAILABLE" });
    expect(said).toMatch(
      /zod 3, which has no JSON Schema: .*withJsonSchema\(schema, zodToJsonSchema\(schema\)\)/,
    );
  });

  test("may consist of classes", async () => {
    class Standard {
      readonly version = 1;
      readonly vendor = "classy";
      #made = "made";
      validate({ a }: { a: string }) {
        return { value: { a: `${this.#made} of ${a}` } };
      }
    }
    const tool = defineTool({
      ...base,
      parameters: withJsonSchema({ "~standard": new Standard() }, { type: "object", properties: { a: {} } }),
      execute: (_id, params) => ({ content: [text(JSON.stringify(params))], details: {} }),
    });
    expect((await testTool(tool, { a: "b" })).text).toBe('{"a":"made of b"}');
  });

  test("is omitted with an invalid JSON Schema", async () => {
    for (const wrong of [{ type: "array" }, { type: "object", properties: { a: () => 1 } }, []]) {
      const tool = defineTool({
        ...base,
        parameters: withJsonSchema(schema, wrong),
        execute: () => ({ content: [], details: {} }),
      });
      expect((await testTool(tool, {})).outcome).toMatchObject({ code: "TOOL_UNAVAILABLE" });
    }
  });
});

test("the example of the guide works as described", async () => {
  const forecast = defineTool({
    ...base,
    parameters: z.object({
      city: z.string().trim().min(1).describe("Where."),
      days: z.coerce.number().int().max(14).default(3),
    }),
    execute: (_toolCallId, { city, days }) => ({
      content: [text(`${days.toFixed()} dry days in ${city}`)],
      details: { city, days },
    }),
  });
  expect((await testTool(forecast, { city: " Oslo " })).text).toBe("3 dry days in Oslo");
  expect((await testTool(forecast, { city: "Oslo", days: "2" })).text).toBe("2 dry days in Oslo");
  expect((await testTool(forecast, { city: "Oslo", day: 2 })).text).toMatch(/did you mean days/);
});
