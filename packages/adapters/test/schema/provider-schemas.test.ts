import { fc, test as property } from "@fast-check/vitest";
import { definePlugin, type Plugin, text, contentToText } from "@haft/core";
import { checkValue } from "@haft/core/internal";
import { type PortabilityFinding, checkPortability } from "@haft/plugin-sdk/testing";
import { describe, expect, test } from "vitest";
import { scaleRuns } from "../../../../test/support/share.ts";
import { toAnthropic } from "../../src/anthropic/index.ts";
import { toGemini } from "../../src/gemini/index.ts";
import { toOpenAI } from "../../src/openai/index.ts";
import { openSession } from "../support/open-session.ts";
import { parameters } from "../support/random-schemas.ts";

type Schema = Record<string, unknown>;

/** A tool of these parameters, which answers what it got. */
function echo(schema: Schema, description = "Echoes."): Plugin {
  return definePlugin({
    id: "e",
    tools: [
      {
        name: "echo",
        description,
        parameters: schema,
        effects: ["read"],
        fillsDefaults: false,
        execute: (_id: string, given: unknown) => ({ content: [text(JSON.stringify(given))], details: {} }),
      },
    ],
  });
}

/** What a provider refuses of what it is told. */
function refused(provider: PortabilityFinding["provider"], schema: Schema): string[] {
  return checkPortability({ ...schema, type: "object" })
    .filter((one) => one.provider === provider && one.severity === "breaks")
    .map(({ path, problem }) => `${path}: ${problem}`);
}

/** A value as the strict schema wants it: null for what is left out. */
function withNulls(schema: unknown, value: unknown, root: Schema): unknown {
  const { $ref, properties, items, anyOf } = (schema ?? {}) as Record<string, unknown>;
  if (typeof $ref === "string") return value;
  if (Array.isArray(anyOf)) {
    for (const branch of anyOf) {
      const filled = withNulls(branch, value, root);
      if (checkValue({ ...(branch as object), $defs: root["$defs"] }, filled).length === 0) return filled;
    }
    return value;
  }
  if (Array.isArray(value)) return value.map((each) => withNulls(items, each, root));
  if (typeof value !== "object" || value === null || properties === undefined) return value;
  const given = value as Record<string, unknown>;
  const filled = Object.entries(properties as object).map(([name, property]) => [
    name,
    Object.hasOwn(given, name) ? withNulls(property, given[name], root) : null,
  ]);
  return { ...given, ...(Object.fromEntries(filled) as object) };
}

/** Where null is a value of its own, nobody can tell it from what is left out. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => (each === null ? [] : [[name, withoutNulls(each)]])),
  );
}

describe("any parameters that a session takes", () => {
  property.prop([parameters], { numRuns: scaleRuns(300, 4) })(
    "no provider refuses what it is told of them, and what fits them fits what is told",
    async ({ schema, value }) => {
      await using session = await openSession([echo(schema)]);
      fc.pre(session.tools().length === 1 && checkValue(schema, value).length === 0);
      const [anthropic] = toAnthropic(session).tools;
      const [gemini] = toGemini(session).tools[0]!.functionDeclarations;
      const { tools: loose } = toOpenAI(session, { api: "responses", strict: false });
      const { tools: strict, notes } = toOpenAI(session, { api: "responses" });
      const told = {
        anthropic: anthropic!.input_schema,
        gemini: gemini!.parametersJsonSchema,
        openai: loose[0]!.parameters,
      };
      for (const [provider, one] of Object.entries(told)) {
        expect(refused(provider as "openai", one)).toEqual([]);
        expect(checkValue(one, value)).toEqual([]);
      }
      const [{ parameters: shown, strict: isStrict } = { parameters: {}, strict: false }] = strict;
      expect(isStrict).toBe(!notes.some(({ kind }) => kind === "not-strict"));
      if (!isStrict) return;
      expect(refused("openai-strict", shown)).toEqual([]);
      const filled = withNulls(shown, value, shown);
      expect(checkValue(shown, filled)).toEqual([]);
      // What the model writes there is what the tool gets, without its nulls.
      const outcome = await session.call({ name: "echo", arguments: filled });
      expect(outcome).toMatchObject({ kind: "ok" });
      expect(withoutNulls(JSON.parse(contentToText(outcome.content)))).toEqual(withoutNulls(value));
    },
  );
});

describe("rejected keywords", () => {
  const either = {
    type: "object",
    properties: { all: { type: "boolean" } },
    anyOf: [
      { properties: { path: { type: "string" } }, required: ["path"] },
      { properties: { url: { type: "string" }, method: { type: "string" } }, required: ["url", "method"] },
    ],
  };

  test("combinators at the top become one object, and a sentence", async () => {
    await using session = await openSession([echo(either)]);
    const { tools, notes } = toAnthropic(session);
    expect(tools[0]?.input_schema).toEqual({
      type: "object",
      properties: {
        all: { type: "boolean" },
        path: { type: "string" },
        url: { type: "string" },
        method: { type: "string" },
      },
      description: "Give one of these: path; url and method.",
    });
    expect(notes).toEqual([
      { tool: "echo", kind: "changed", reason: "The tool has anyOf at its top, which becomes one object." },
    ]);
    // What is told is less; what is held is not.
    expect(await session.call({ name: "echo", arguments: { all: true } })).toMatchObject({ kind: "error" });
  });

  test("lists without an item type", async () => {
    const schema = { type: "object", properties: { list: { type: "array" } }, required: ["list"] };
    await using session = await openSession([echo(schema)]);
    expect(toOpenAI(session, { strict: false }).tools[0]?.function.parameters).toEqual({
      ...schema,
      properties: { list: { type: "array", items: {} } },
    });
    expect(toOpenAI(session).notes).toMatchObject([
      { kind: "not-strict", reason: expect.stringContaining("takes any value (list.items)") },
    ]);
  });

  test("rejects a description that is too long, or that ends in half a character", async () => {
    await using session = await openSession([echo({ type: "object" }, `${"x".repeat(1_022)}😀😀`)]);
    const { tools, notes } = toOpenAI(session);
    const told = tools[0]!.function.description;
    expect(told).toBe(`${"x".repeat(1_022)}…`);
    expect(notes).toContainEqual({
      tool: "echo",
      kind: "changed",
      reason: "The tool has a description of 1026 characters.",
    });
    expect(toAnthropic(session).tools[0]?.description).toHaveLength(1_026);
  });

  test("rejects a name of more than 64 characters", async () => {
    const name = "x".repeat(65);
    const plugin = definePlugin({
      id: "long",
      tools: [
        {
          name,
          description: "d",
          parameters: { type: "object" },
          effects: [],
          execute: () => ({ content: [], details: {} }),
        },
      ],
    });
    await using session = await openSession([plugin]);
    expect(session.diagnostics()).toHaveLength(1);
    expect(toOpenAI(session).tools).toEqual([]);
  });

  test("a parameter that the Messages API has no name for costs its tool alone", async () => {
    await using session = await openSession([echo({ type: "object", properties: { "à la carte": {} } })]);
    const { tools, notes } = toAnthropic(session);
    expect(tools).toEqual([]);
    expect(notes).toEqual([
      { tool: "echo", kind: "left-out", reason: 'The Messages API refuses a parameter named "à la carte".' },
    ]);
    expect(toGemini(session).tools).toHaveLength(1);
  });

  test.each([
    [
      "patternProperties",
      { type: "object", properties: {}, patternProperties: { "^x": { type: "string" } } },
      /has patternProperties/,
    ],
    [
      "names of any kind",
      { type: "object", properties: { env: { type: "object", additionalProperties: { type: "string" } } } },
      /takes parameters of any name \(env\)/,
    ],
    ["more levels than ten", nested(11), /has 11 objects/],
    [
      "an enum of a thousand and one",
      { type: "object", properties: { a: { enum: Array.from({ length: 1_001 }, (_, n) => `${n}`) } } },
      /values in enums/,
    ],
  ])("strict mode: reports %s, and offers the tool", async (_what, schema, reason) => {
    await using session = await openSession([echo(schema)]);
    const { tools, notes } = toOpenAI(session);
    expect(tools[0]?.function).not.toHaveProperty("strict");
    expect(notes).toMatchObject([
      { tool: "echo", kind: "not-strict", reason: expect.stringMatching(reason) },
    ]);
  });
});

function nested(levels: number): Schema {
  const properties = levels === 1 ? { end: { type: "string" } } : { in: nested(levels - 1) };
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: false };
}
