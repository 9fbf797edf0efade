import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import { type as olderType } from "arktype-2.1";
import * as v from "valibot";
import { describe, expect, expectTypeOf, test } from "vitest";
import * as z from "zod";
import { z as z3 } from "zod-3";
import * as mini from "zod/mini";
import { checkTool } from "../../src/compose/tool-check.ts";
import { type AnyTool, defineTool } from "../../src/contract/tool.ts";
import { isDuplicateToolCall } from "../../src/parameters/duplicates.ts";
import {
  answer,
  getCode,
  makeTool,
  openSession,
  createTestPolicy,
  getOutcomeText,
} from "../support/kernel.ts";

/** A tool that answers with what it was given, as JSON. */
const showing = (parameters: unknown, parts: object = {}) =>
  makeTool("show", {
    execute: (_id: string, params: unknown) => answer(JSON.stringify(params)),
    ...parts,
    parameters,
  } as never);

const open = (parameters: unknown, parts?: object) => openSession({ tools: [showing(parameters, parts)] });

async function call(parameters: unknown, args: unknown, parts?: object) {
  const session = await open(parameters, parts);
  return session.call({ name: "show", arguments: args });
}

const city = { name: "Oslo", days: 3 };
const LIBRARIES: [string, unknown][] = [
  ["zod", z.object({ name: z.string(), days: z.number().min(1) })],
  [
    "zod/mini, with its JSON Schema",
    z.toJSONSchema(mini.object({ name: mini.string(), days: mini.number().check(mini.minimum(1)) }), {
      io: "input",
    }),
  ],
  [
    "valibot, with its JSON Schema",
    toStandardJsonSchema(v.object({ name: v.string(), days: v.pipe(v.number(), v.minValue(1)) })),
  ],
  ["arktype", type({ name: "string", days: "number >= 1" })],
  ["arktype 2.1", olderType({ name: "string", days: "number >= 1" })],
];

describe.each(LIBRARIES)("a schema of %s", (_library, parameters) => {
  test("is advertised as JSON Schema without the name of its draft", async () => {
    const session = await open(parameters);
    expect(session.tools()[0]!.parameters).toMatchObject({
      type: "object",
      properties: { name: { type: "string" }, days: { type: "number", minimum: 1 } },
    });
    expect(session.tools()[0]!.parameters).not.toHaveProperty("$schema");
  });

  test("accepts valid values, repaired and by aliases", async () => {
    expect(getOutcomeText(await call(parameters, city))).toBe(JSON.stringify(city));
    const repaired = await call(parameters, '{"city":"Oslo","days":"3"}', { aliases: { name: ["city"] } });
    expect(JSON.parse(getOutcomeText(repaired))).toEqual(city);
  });

  test("refuses invalid values with the problem and its location", async () => {
    const outcome = await call(parameters, { name: "Oslo", days: 0 });
    expect(getCode(outcome)).toBe("INVALID_ARGUMENTS");
    expect(getOutcomeText(outcome)).toMatch(/days must be number of at least 1, received number 0/);
    expect(getCode(await call(parameters, { name: "Oslo" }))).toBe("INVALID_ARGUMENTS");
  });

  test("refuses an unknown name instead of dropping it", async () => {
    const outcome = await call(parameters, { ...city, dayz: 4 });
    expect(getCode(outcome)).toBe("INVALID_ARGUMENTS");
    expect(getOutcomeText(outcome)).toMatch(/unknown parameter dayz \(did you mean days\?\)/);
  });
});

describe("the output of a schema", () => {
  const parameters = z
    .object({
      when: z.iso.date().transform((text) => ({ year: Number(text.slice(0, 4)) })),
      unit: z.enum(["c", "f"]).default("c"),
      count: z.coerce.number().int(),
      note: z.string().trim().optional(),
    })
    .refine(({ count }) => count !== 13, { path: ["count"], message: "Nobody wants thirteen" });
  const made = { when: { year: 2024 }, unit: "c", count: 4 };

  test("reaches execute, policy and ledger", async () => {
    const asked: unknown[] = [];
    const policy = createTestPolicy({
      call: (_tool, args) => {
        asked.push(args);
        return "allow";
      },
    });
    const session = await openSession({ tools: [showing(parameters)], policy });
    const outcome = await session.call({ name: "show", arguments: { when: "2024-05-06", count: "4" } });
    expect(JSON.parse(getOutcomeText(outcome))).toEqual(made);
    expect(asked.at(-1)).toEqual(made);
    expect(session.ledger().at(-1)!.args).toEqual(made);
  });

  test("decides whether a call is a repetition", async () => {
    const session = await open(parameters, { effects: ["message"] });
    const first = await session.call({ name: "show", arguments: { when: "2024-05-06", count: 4 } });
    const again = await session.call({
      name: "show",
      arguments: { when: "2024-12-31", unit: "c", count: "4" },
    });
    expect([getCode(first), getCode(again)]).toEqual(["ok", "DUPLICATE_CALL"]);
    const tool = showing(parameters);
    const past = [{ toolName: "show", args: made }];
    expect(isDuplicateToolCall("show", { when: "2024-01-01", count: 4 }, past, tool)).toBe(true);
    expect(isDuplicateToolCall("show", { when: "2023-01-01", count: 4 }, past, tool)).toBe(false);
  });

  test("can be a refusal in its own words, beyond the JSON Schema", async () => {
    const outcome = await call(parameters, { when: "2024-05-06", count: 13 });
    expect(getCode(outcome)).toBe("INVALID_ARGUMENTS");
    expect(getOutcomeText(outcome)).toMatch(/count: Nobody wants thirteen \(received number 13\)/);
    expect(outcome.details).toMatchObject({ issues: [{ kind: "wrong", path: "count" }] });
  });

  test("is described in words, also for patterns and limits of numbers of a library", async () => {
    const outcome = await call(parameters, { when: "soon", count: 1.5 });
    expect(getOutcomeText(outcome)).toMatch(
      /when must be string in the form of date, received string "soon"/,
    );
    expect(getOutcomeText(outcome)).toMatch(/count must be integer, received number 1\.5/);
  });

  test("can accept more than the JSON Schema", async () => {
    const lenient = z.object({ tags: z.preprocess((value) => [value].flat(), z.array(z.string())) });
    expect(getOutcomeText(await call(lenient, { tags: "a b" }))).toBe('{"tags":["a b"]}');
    const coerced = z.object({ text: z.coerce.string() });
    expect(getOutcomeText(await call(coerced, { text: 7 }))).toBe('{"text":"7"}');
  });

  test("may be asynchronous", async () => {
    const slow = z.object({ id: z.string().refine(async (id) => Promise.resolve(id === "yes")) });
    expect(getOutcomeText(await call(slow, { id: "yes" }))).toBe('{"id":"yes"}');
    expect(getCode(await call(slow, { id: "no" }))).toBe("INVALID_ARGUMENTS");
    const session = await open(slow);
    expect((await session.explain("show", { id: "no" })).verdict).toBe("invalid-arguments");
    expect(
      isDuplicateToolCall("show", { id: "yes" }, [{ toolName: "show", args: { id: "yes" } }], showing(slow)),
    ).toBe(true);
  });

  test("has to be a JSON object", async () => {
    const cases: [unknown, RegExp][] = [
      [z.object({ at: z.string().transform((text) => new Date(text)) }), /at is a Date/],
      [
        z.object({ at: z.string().transform((text) => ({ list: [new Map([[text, 1]])] })) }),
        /at\.list\[0\] is a Map/,
      ],
      [z.object({ at: z.string().transform(() => BigInt(1)) }), /at is a bigint/],
      [z.object({ at: z.string().transform(() => () => 1) }), /at is a function/],
      [z.object({ at: z.string().transform(() => undefined) }), /at is undefined/],
      [z.object({ at: z.string().transform(() => Number.NaN) }), /at is NaN/],
      [
        z.object({ at: z.string().transform((text) => new URL(`https://a.example.com/${text}`)) }),
        /at is an instance of URL/,
      ],
      [
        z
          .object({ at: z.string() })
          .transform((value: Record<string, unknown>) => Object.assign(value, { self: value })),
        /self is an object that contains itself/,
      ],
      [z.object({ at: z.string() }).transform(({ at }) => at), /it is string "2024"/],
    ];
    for (const [schema, problem] of cases) {
      const outcome = await call(schema, { at: "2024" });
      expect(getCode(outcome)).toBe("TOOL_INVALID");
      expect(getOutcomeText(outcome)).toMatch(problem);
      expect(outcome.receipt).toBe("none");
    }
  });
});

describe("a schema without JSON Schema", () => {
  const cases: [string, unknown, RegExp][] = [
    [
      "zod 3",
      z3.object({ a: z3.string() }),
      /schema of zod 3, .*zod to 4\.2, or use withJsonSchema\(schema, zodToJsonSchema/,
    ],
    ["zod/mini", mini.object({ a: mini.string() }), /zod\/mini use z\.toJSONSchema\(schema/],
    ["valibot", v.object({ a: v.string() }), /toStandardJsonSchema\(schema\) of @valibot\/to-json-schema/],
    ["a date", z.object({ a: z.date() }), /zod: Date cannot be represented in JSON Schema/],
    ["a BigInt", toStandardJsonSchema(v.object({ a: v.bigint() })), /bigint/],
    ["a symbol", olderType({ a: "symbol" }), /arktype: /],
    ["a text", z.string(), /must be an object schema/],
    ["a list", type("string[]"), /must be an object schema/],
    [
      "a union",
      z.discriminatedUnion("k", [z.object({ k: z.literal("a") }), z.object({ k: z.literal("b") })]),
      /union \(oneOf\) at its top/,
    ],
    ["one schema for each parameter", { a: z.string() }, /has a schema of zod for "a"; use one schema/],
    [
      "one within JSON Schema",
      { type: "object", properties: { a: z.string() } },
      /has a schema of zod for "a"/,
    ],
    [
      "another library",
      { "~standard": { version: 1, vendor: "joi", validate: () => ({}) } },
      /schema of joi .*withJsonSchema/,
    ],
  ];
  test.for(cases)("is left out with a fix: %s", ([_what, parameters, problem]) => {
    expect(checkTool(showing(parameters)).problem).toMatch(problem);
  });

  test("excludes only its tool", async () => {
    const session = await openSession({ tools: [showing(v.object({})), makeTool("other")] });
    expect(session.tools().map(({ name }) => name)).toEqual(["other"]);
    expect(session.diagnostics()).toMatchObject([{ code: "TOOL_INVALID", names: ["show"] }]);
    expect(getOutcomeText(await session.call({ name: "show", arguments: {} }))).toMatch(
      /@valibot\/to-json-schema/,
    );
  });
});

describe("types", () => {
  test("follow the output of a schema for each library", () => {
    const of = (tool: AnyTool) => tool;
    const base = { name: "t", description: "T.", effects: [] };
    of(
      defineTool({
        ...base,
        parameters: z.object({ a: z.string().transform(Number), b: z.string().default("x") }),
        execute: (_id, params) => {
          expectTypeOf(params).toEqualTypeOf<{ a: number; b: string }>();
          return answer("");
        },
      }),
    );
    of(
      defineTool({
        ...base,
        parameters: toStandardJsonSchema(v.object({ a: v.optional(v.number()) })),
        execute: (_id, params) => {
          expectTypeOf(params).toEqualTypeOf<{ a?: number | undefined }>();
          return answer("");
        },
      }),
    );
    of(
      defineTool({
        ...base,
        parameters: type({ a: "string", "b?": "number" }),
        plan: (params) => {
          expectTypeOf(params).toEqualTypeOf<{ a: string; b?: number }>();
          return undefined;
        },
        execute: (_id, params) => {
          expectTypeOf(params).toEqualTypeOf<{ a: string; b?: number }>();
          return answer("");
        },
      }),
    );
    of(
      defineTool({
        ...base,
        parameters: z.toJSONSchema(mini.object({ a: mini.string() })),
        execute: (_id, params) => {
          expectTypeOf(params).toEqualTypeOf<{ a: string }>();
          return answer("");
        },
      }),
    );
    expect.assertions(0);
  });
});
