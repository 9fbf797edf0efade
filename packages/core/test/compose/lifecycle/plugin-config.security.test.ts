import { Type } from "@sinclair/typebox";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { definePlugin } from "../../../src/contract/define-plugin.ts";
import { HaftError } from "../../../src/contract/errors.ts";
import type { Plugin } from "../../../src/contract/registration.ts";
import { text, contentToText } from "../../../src/contract/result.ts";
import {
  answer,
  makeTool,
  memoryLogger,
  openSession,
  createTestPolicy,
  watch,
  createThrower,
} from "../../support/kernel.ts";

const KEY = 'sk"weather/0123456789';
const schema = Type.Object({
  apiKey: Type.String({ "x-secret": true, minLength: 8 }),
  units: Type.Union([Type.Literal("metric"), Type.Literal("imperial")], { default: "metric" }),
  stations: Type.Array(
    Type.Object({ name: Type.String(), pin: Type.Optional(Type.String({ writeOnly: true })) }),
    {
      default: [],
    },
  ),
  retry: Type.Object({ times: Type.Integer({ default: 3 }) }, { default: {} }),
});

/** A plugin that shows what it was given. */
function shows(config: unknown, configSchema: object = schema): { plugin: Plugin; seen: unknown[] } {
  const seen: unknown[] = [];
  const plugin = definePlugin({
    id: "weather",
    config,
    configSchema,
    tools: [
      {
        names: ["forecast"],
        factory: ({ config: given }) => {
          seen.push(given);
          return makeTool("forecast");
        },
      },
    ],
  });
  return { plugin, seen };
}

describe("a configuration", () => {
  test("gets its defaults and is frozen", async () => {
    const given = { apiKey: KEY, stations: [{ name: "a" }] };
    const { plugin, seen } = shows(given);
    await openSession({ plugins: [plugin] });
    expect(seen).toEqual([{ apiKey: KEY, units: "metric", stations: [{ name: "a" }], retry: { times: 3 } }]);
    expect(Object.isFrozen((seen[0] as typeof given).stations[0])).toBe(true);
    expect(Object.isFrozen(given)).toBe(false);
  });

  test.for<[string, unknown, RegExp]>([
    ["without a key it needs", {}, /config: It has no apiKey \(string of at least 8 characters\)\./],
    ["with nothing at all", undefined, /config: It has no apiKey/],
    [
      "that is no object",
      "metric",
      /config: Expected object. The value differs from this and is not shown, since it may be secret\./,
    ],
    [
      "with a key that is misspelled",
      { apiKey: KEY, unit: "metric" },
      /config\.unit: There is no such key; known here: apiKey, units, stations, retry\. Did you mean "units"\?/,
    ],
    [
      "with one in an inner part",
      { apiKey: KEY, stations: [{ name: "a", pni: 1 }] },
      /config\.stations\[0\]\.pni: There is no such key; known here: name, pin\. Did you mean "pin"\?/,
    ],
    [
      "with a word that is misspelled",
      { apiKey: KEY, units: "metrik" },
      /config\.units: Expected one of "metric", "imperial", got string "metrik"\./,
    ],
    [
      "with a secret that is wrong",
      { apiKey: "short" },
      /config\.apiKey: Expected string of at least 8 characters. The value differs from this and is not shown, since it may be secret/,
    ],
    ["that leads back to itself", loop(), /config: it cannot be checked: it is nested deeper than 64 levels/],
    [
      "with a getter that throws",
      {
        get apiKey() {
          throw new Error("not here");
        },
      },
      /config: it cannot be checked: not here/,
    ],
  ])("%s is refused before any code of the plugin runs", async ([, config, message]) => {
    const { plugin, seen } = shows(config);
    const good = definePlugin({ id: "good", tools: [makeTool("good")] });
    const session = await openSession({ plugins: [plugin, good] });
    expect(session.tools().map(({ name }) => name)).toEqual(["good"]);
    expect(session.diagnostics()).toMatchObject([
      {
        code: "PLUGIN_CONFIG_INVALID",
        pluginId: "weather",
        names: ["forecast"],
        message: expect.stringMatching(message),
      },
    ]);
    expect(session.missing()).toMatchObject([{ id: "weather/forecast", code: "PLUGIN_CONFIG_INVALID" }]);
    expect(JSON.stringify(session.diagnostics())).not.toContain("short");
    expect(seen).toEqual([]);
  });

  test("keeps unknown keys if its schema is explicitly open", async () => {
    const open = Type.Object({ name: Type.String() }, { additionalProperties: Type.Integer() });
    const { plugin, seen } = shows({ name: "a", more: 1 }, open);
    await openSession({ plugins: [plugin] });
    expect(seen).toEqual([{ name: "a", more: 1 }]);
    const both = Type.Intersect([Type.Object({ a: Type.String() }), Type.Object({ b: Type.String() })]);
    const second = shows({ a: "1", b: "2" }, both);
    await openSession({ plugins: [second.plugin] });
    expect(second.seen).toEqual([{ a: "1", b: "2" }]);
  });

  test("has its source location in messages if the host knows it", async () => {
    const { plugin } = shows({ apiKey: KEY, unit: 1 });
    const sourceOf = (id: string, path: readonly unknown[]) => `haft.yaml:${path.length}: ${id}`;
    const session = await openSession({ plugins: [plugin], registry: { getSource: sourceOf } });
    expect(session.diagnostics()[0]!.message).toContain("haft.yaml:1: weather: There is no such key");
  });

  test("is converted by the library of its schema", async () => {
    const zod = z.object({
      n: z.string().regex(/^\d+$/, "no secret-5 here").transform(Number).meta({ "x-secret": true }),
      at: z
        .string()
        .default("2026")
        .transform((text) => new Date(text)),
    });
    const right = shows({ n: "5" }, zod);
    await openSession({ plugins: [right.plugin] });
    expect(right.seen).toEqual([{ n: 5, at: new Date("2026") }]);
    for (const [config, message] of [
      [{ n: "secret-5" }, "config.n: no [secret] here"],
      [{ m: "5", n: "5" }, "config.m: There is no such key; known here: n, at."],
      [{}, "config: It has no n"],
    ] as const) {
      const wrong = shows(config, zod);
      const session = await openSession({ plugins: [wrong.plugin] });
      expect(session.diagnostics()).toMatchObject([
        { code: "PLUGIN_CONFIG_INVALID", message: expect.stringContaining(message) },
      ]);
      expect(wrong.seen).toEqual([]);
    }
  });

  test("stays unchanged without a schema", async () => {
    const config = { run: () => 1 };
    const seen: unknown[] = [];
    const factory = (context: { config: unknown }) => {
      seen.push(context.config);
      return makeTool("a");
    };
    await openSession({ plugins: [{ id: "p", config, tools: [{ names: ["a"], factory }] }] });
    expect(seen[0]).toBe(config);
  });
});

describe("a secret of a configuration", () => {
  const encoded = Buffer.from(KEY).toString("base64");
  const leaky = (act: () => never | ReturnType<typeof answer>) =>
    definePlugin({
      id: "weather",
      config: { apiKey: KEY },
      configSchema: schema,
      tools: [
        {
          names: ["forecast"],
          factory: () =>
            makeTool("forecast", {
              execute: (_id, _params, _signal, onUpdate, { logger }) => {
                logger.info(`key ${KEY}`, { key: KEY });
                onUpdate?.(answer(KEY));
                return act();
              },
            }),
        },
      ],
    });

  test.for<[string, () => never | ReturnType<typeof answer>]>([
    [
      "a result",
      () => answer(`it is ${KEY}`, { url: `https://x/?k=${encodeURIComponent(KEY)}`, [KEY]: [encoded] }),
    ],
    ["an error", createThrower(new Error(`refused: ${KEY}`, { cause: new Error(encoded) }))],
    [
      "an error of its own",
      createThrower(
        new HaftError("REFUSED", `refused ${KEY}`, {
          fix: `not ${KEY}`,
          details: { key: { inner: KEY } },
        }),
      ),
    ],
  ])("is masked in %s, in the ledger, in events and in the log", async ([, act]) => {
    const logger = memoryLogger();
    const session = await openSession({ plugins: [leaky(act)], logger });
    const events = watch(session);
    const updates: unknown[] = [];
    const outcome = await session.call({ name: "forecast" }, { onUpdate: (update) => updates.push(update) });
    const all = JSON.stringify([outcome, session.ledger(), events, updates, logger.lines]);
    expect(updates).toHaveLength(1);
    for (const secret of [KEY, JSON.stringify(KEY).slice(1, -1), encodeURIComponent(KEY), encoded])
      expect(all).not.toContain(JSON.stringify(secret).slice(1, -1));
    expect(contentToText(outcome.content)).toContain("[secret]");
  });

  test("is masked for people who decide, and not for the tool", async () => {
    let planned: unknown;
    const plugin = definePlugin({
      id: "weather",
      config: { apiKey: KEY },
      configSchema: schema,
      tools: [
        makeTool("forecast", {
          plan: () => ({ preview: [text(`asks with ${KEY}`)], noAlways: `not ${KEY}`, data: { url: KEY } }),
          execute: (...[, , , , { plan }]) => {
            planned = plan;
            return answer("done");
          },
        }),
      ],
    });
    const requests: unknown[] = [];
    const session = await openSession({
      plugins: [plugin],
      policy: createTestPolicy({ call: () => "ask" }),
      approver: {
        ask: async (request) => {
          requests.push(request);
          return "allow-once";
        },
      },
    });
    expect(await session.call({ name: "forecast" })).toMatchObject({ kind: "ok" });
    expect(JSON.stringify(requests)).toContain("asks with [secret]");
    expect(JSON.stringify(requests)).not.toContain("0123456789");
    expect(planned).toEqual({ url: KEY });
  });

  test("is masked in errors of a factory and of a setup", async () => {
    const parts = { id: "weather", config: { apiKey: KEY }, configSchema: schema };
    const fail = createThrower(new Error(`no ${KEY}`));
    const logger = memoryLogger();
    const one = definePlugin({ ...parts, tools: [{ names: ["a"], factory: fail }] });
    const two = definePlugin({
      ...parts,
      id: "two",
      setup: fail,
      tools: [{ names: ["b"], factory: () => null }],
    });
    const session = await openSession({ plugins: [one, two], logger, registry: { logger } });
    expect(session.diagnostics()).toMatchObject([
      { code: "FACTORY_FAILED", message: expect.stringContaining("no [secret]") },
      { code: "SETUP_FAILED", message: expect.stringContaining("no [secret]") },
    ]);
    expect(JSON.stringify(logger.lines)).not.toContain("0123456789");
  });
});

function loop(): object {
  const config: Record<string, unknown> = { apiKey: KEY };
  config["stations"] = [config];
  return config;
}
