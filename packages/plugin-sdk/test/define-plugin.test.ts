import type { Policy, Workspace } from "@haft/core";
import { Registry, SessionFactory } from "@haft/core/kernel";
import { describe, expect, expectTypeOf, test } from "vitest";
import {
  CONTRACT_VERSION,
  definePlugin,
  defineTool,
  HaftError,
  text,
  Type,
  type PluginToolContext,
} from "../src/index.ts";

const allow = { effect: "allow" as const, id: "test", reason: "allowed", trace: [] };
const policy: Policy = { forSession: () => ({ visibility: () => allow, call: () => allow }) };
const workspace = {
  fs: undefined as never,
  describe: () => ({ target: "host" as const, cwd: "/", mounts: [], boundary: "none" as const }),
} satisfies Workspace;

const greet = defineTool({
  name: "greet",
  description: "Greets somebody.",
  parameters: Type.Object({ name: Type.String(), times: Type.Optional(Type.Integer({ minimum: 1 })) }),
  effects: [],
  execute(_id, { name, times = 1 }) {
    expectTypeOf(name).toEqualTypeOf<string>();
    expectTypeOf(times).toEqualTypeOf<number>();
    if (name === "")
      throw new HaftError("NOBODY", "There is nobody to greet.", {
        category: "input",
        fix: "Name somebody.",
      });
    return { content: [text(`Hello ${name}!`.repeat(times))], details: { times } };
  },
});

describe("a schema is taken by its structure", () => {
  // Nothing of TypeBox in it: what another copy of it makes is no more alike.
  const schema = { type: "object", properties: { city: { type: "string" } } };
  const typed = schema as unknown as { static: { city: string }; params: unknown[]; type: "object" };

  test("execute receives the output of the schema", () => {
    const tool = defineTool({
      name: "weather",
      description: "Says the weather.",
      parameters: typed,
      effects: [],
      execute(_id, params) {
        expectTypeOf(params).toEqualTypeOf<{ city: string }>();
        return { content: [text(params.city)], details: {} };
      },
    });
    expectTypeOf(tool.parameters.type).toEqualTypeOf<"object">();
    expect(tool.parameters).toBe(schema);
  });

  test("rejects a schema without a description", () => {
    const tool = {
      name: "weather",
      description: "Says the weather.",
      effects: [],
      execute: () => ({ content: [], details: {} }),
    };
    // @ts-expect-error -- JSON Schema alone gives `execute` no types.
    expect(defineTool({ ...tool, parameters: schema }).parameters).toBe(schema);
  });
});

describe("definePlugin", () => {
  test("takes finished tools and factories alike, and keeps everything else", () => {
    const factory = () => null;
    const plugin = definePlugin({
      id: "greetings",
      name: "Greetings",
      version: "1.0.0",
      config: { loud: true },
      replaces: ["hello"],
      tools: [greet, { factory, names: ["wave"], optional: true, channels: ["slack"] }],
    });
    expect(plugin).toMatchObject({
      id: "greetings",
      name: "Greetings",
      version: "1.0.0",
      config: { loud: true },
      replaces: ["hello"],
      contract: CONTRACT_VERSION,
    });
    expect(plugin.tools).toMatchObject([
      { names: ["greet"], scope: "host" },
      { factory, names: ["wave"], optional: true, channels: ["slack"] },
    ]);
    expect(plugin.tools[0]!.factory({} as PluginToolContext)).toBe(greet);
  });

  test("a plugin of fifteen lines works in a session", async () => {
    const registry = new Registry({ plugins: [definePlugin({ id: "greetings", tools: [greet] })] });
    const session = await new SessionFactory({ registry, policy }).open({ kind: "main", workspace });
    expect(session.diagnostics()).toEqual([]);
    expect(session.tools()).toMatchObject([
      { name: "greet", parameters: { type: "object", required: ["name"] } },
    ]);
    const outcome = await session.call({ name: "greet", arguments: { name: "Ann", times: 2 } });
    expect(outcome).toMatchObject({
      kind: "ok",
      content: [{ text: "Hello Ann!Hello Ann!" }],
      details: { times: 2 },
    });
    const refused = await session.call({ name: "greet", arguments: { name: "" } });
    expect(refused).toMatchObject({
      kind: "error",
      code: "NOBODY",
      category: "input",
      content: [{ text: "Error: There is nobody to greet.\nName somebody." }],
    });
  });
});
