import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { PATIENCE_MS } from "../../../../test/support/until.ts";
import { createHost } from "../../src/host/host.ts";
import { openHostWith, createPluginWorkspace } from "./support.ts";

const KEY = "sk-weather-0123456789";

/** A plugin that notes what becomes of it in a file beside it, given these parts of its definition. */
function noting(notes: string, parts: string): string {
  return `import { appendFileSync } from "node:fs";
import { definePlugin, defineTool, text, Type } from "@haft/plugin-sdk";
const note = (line) => appendFileSync(${JSON.stringify(notes)}, line + "\\n");
const one = (name, execute = () => ({ content: [text("done")], details: {} })) =>
  defineTool({ name, description: "One.", parameters: Type.Object({}), effects: [], execute });
export default definePlugin({ id: "weather", ${parts} });
`;
}

const notesIn = (path: string) => {
  try {
    return readFileSync(path, "utf8").trim().split("\n");
  } catch {
    return [];
  }
};

const SCHEMA = `configSchema: Type.Object({
  apiKey: Type.String({ "x-secret": true, minLength: 8 }),
  units: Type.String({ default: "metric" }),
}),`;

describe("a named plugin", () => {
  test("is configured, set up when a session needs it, and disposed of with the host", async () => {
    const at = await createPluginWorkspace({});
    const notes = join(at.folder, "notes");
    const parts = `${SCHEMA}
      setup: async ({ config }) => { note("setup " + config.units); return { open: true }; },
      tools: [{ names: ["ask"], factory: ({ config, state }) => { note("factory " + config.apiKey.length + state.open); return one("ask"); } }],
      dispose: (state) => note("dispose " + state.open),`;
    at.put("weather.js", noting(notes, parts));
    const { host, told } = await openHostWith(at, [{ use: "./weather.js", config: { apiKey: KEY } }]);
    expect(told).toEqual([]);
    expect(notesIn(notes)).toEqual([]);
    const session = await host.openSession();
    expect(session.diagnostics()).toEqual([]);
    expect(notesIn(notes)).toEqual(["setup metric", `factory ${KEY.length}true`]);
    await host.close();
    expect(notesIn(notes).slice(2)).toEqual(["dispose true"]);
  });

  test("is reported with file and line if its configuration is invalid, and is not loaded here", async () => {
    const at = await createPluginWorkspace({});
    const notes = join(at.folder, "notes");
    at.put(
      "weather.js",
      noting(notes, `${SCHEMA} tools: [one("ask")],`).replace(
        "export default",
        'note("load " + process.pid);\nexport default',
      ),
    );
    const config = join(at.folder, "c.yaml");
    const warnings: string[] = [];
    const start = async (text: string) => {
      writeFileSync(config, text);
      warnings.length = 0;
      const addWarning = (message: string) => void warnings.push(message);
      return createHost({
        config,
        workspaceDir: at.cwd,
        stateDir: at.stateDir,
        administratorPolicy: false,
        logger: { debug() {}, info() {}, warn: addWarning, error: addWarning },
      });
    };
    const host = await start(
      `plugins:\n  - use: ./weather.js\n    config:\n      apiKey: ${KEY}\n      unit: imperial\n`,
    );
    const session = await host.openSession();
    expect(session.missing()).toMatchObject([
      {
        id: "weather/ask",
        code: "PLUGIN_CONFIG_INVALID",
        reason: expect.stringContaining('Did you mean "units"'),
      },
    ]);
    expect(warnings).toEqual([
      expect.stringContaining(
        `${config}:5: plugins[0].config.unit: There is no such key; known here: apiKey, units.`,
      ),
    ]);
    expect(host.plugins().at(-1)).toMatchObject({
      state: "broken",
      tools: [],
      problem: { code: "PLUGIN_CONFIG_INVALID" },
    });
    await host.close();
    const second = await start(`plugins:\n  - use: ./weather.js\n    config: { apiKey: 'short12' }\n`);
    expect(warnings).toEqual([
      expect.stringContaining(`${config}:3: plugins[0].config.apiKey: Expected string`),
    ]);
    expect(warnings.join("")).not.toContain("short12");
    await second.close();
    const third = await start("plugins: [./weather.js]\n");
    expect(warnings).toEqual([expect.stringContaining(`${config}:1: plugins[0].config: It has no apiKey`)]);
    await third.close();
    expect(notesIn(notes).filter((line) => line === `load ${process.pid}`)).toEqual([]);
  });

  test("leaves its secrets out of records and reports", async () => {
    const at = await createPluginWorkspace({});
    const parts = `${SCHEMA} tools: [
      { names: ["sulk"], factory: ({ config }) => { throw new Error("refused: " + config.apiKey); } },
      { names: ["later"], factory: async ({ config, logger }) => { logger.warn(config.apiKey); return one("later", () => { throw new Error(config.apiKey); }); } },
    ],`;
    at.put("weather.js", noting(join(at.folder, "notes"), parts));
    const { host, told } = await openHostWith(at, [{ use: "./weather.js", config: { apiKey: KEY } }]);
    const session = await host.openSession();
    const outcome = await session.call({ name: "later" });
    expect(outcome).toMatchObject({
      kind: "error",
      content: [{ text: expect.stringContaining("[secret]") }],
    });
    expect(host.plugins().at(-1)?.late?.message).toBe("refused: [secret]");
    const records = readdirSync(join(at.stateDir, "plugins")).map((name) =>
      readFileSync(join(at.stateDir, "plugins", name), "utf8"),
    );
    const all = JSON.stringify([records, told, session.diagnostics(), session.ledger(), host.plugins()]);
    expect(all).toContain("[secret]");
    expect(all).not.toContain(KEY);
  });

  test("loses only its own tools if its setup fails, and the failure is recorded", async () => {
    const at = await createPluginWorkspace({});
    const parts = `setup: () => { throw new Error("no database"); }, tools: [{ names: ["ask"], factory: () => one("ask") }],`;
    at.put("weather.js", noting(join(at.folder, "notes"), parts));
    const { host } = await openHostWith(at, ["./weather.js"]);
    const session = await host.openSession();
    expect(session.missing()).toMatchObject([{ id: "weather/ask", code: "SETUP_FAILED" }]);
    expect(host.plugins().at(-1)?.late).toMatchObject({
      code: "SETUP_FAILED",
      message: "no database",
      names: ["ask"],
    });
  });

  test("validates its configuration with its schema library when it is loaded", async () => {
    const at = await createPluginWorkspace({});
    const schema = `configSchema: { "~standard": { version: 1, vendor: "other",
      jsonSchema: { input: () => ({ type: "object", properties: { size: { type: "string" } } }) },
      validate: ({ size }) => /^\\d+$/.test(size) ? { value: { size: Number(size) } } : { issues: [{ message: "no number", path: ["size"] }] },
    } },`;
    at.put(
      "weather.js",
      noting(
        join(at.folder, "notes"),
        `${schema} tools: [{ names: ["ask"], factory: ({ config }) => one("ask", () => ({ content: [text(typeof config.size)], details: {} })) }],`,
      ),
    );
    const { host } = await openHostWith(at, [{ use: "./weather.js", config: { size: "5" } }]);
    const session = await host.openSession();
    expect(await session.call({ name: "ask" })).toMatchObject({ content: [{ text: "number" }] });
    const wrong = await openHostWith(at, [{ use: "./weather.js", config: { size: "five" } }]);
    expect((await wrong.host.openSession()).diagnostics()).toMatchObject([
      {
        code: "PLUGIN_CONFIG_INVALID",
        message: expect.stringContaining("plugins[0].config.size: no number"),
      },
    ]);
    const misspelled = await openHostWith(at, [{ use: "./weather.js", config: { sise: "5" } }]);
    expect(misspelled.told).toEqual([expect.stringContaining('Did you mean "size"')]);
  });

  test.for<[string, string, string]>([
    [
      "with getters",
      "Object.defineProperty({}, 'type', { enumerable: true, get() { throw new Error('hostile'); } })",
      "hostile",
    ],
    [
      "that leads back to itself",
      "(() => { const schema = { type: 'object' }; schema.properties = { schema }; return schema; })()",
      "an object that contains itself",
    ],
    [
      "that is huge",
      "{ type: 'object', description: 'x'.repeat(1_100_000) }",
      "larger than 1,000,000 characters",
    ],
  ])("is the only omitted plugin if its configSchema is one %s", async ([, schema, why]) => {
    const at = await createPluginWorkspace({});
    at.put("weather.js", noting(join(at.folder, "notes"), `configSchema: ${schema}, tools: [one("ask")],`));
    at.put(
      "good.js",
      noting(join(at.folder, "notes"), `tools: [one("good")],`).replace('"weather"', '"good"'),
    );
    const { host } = await openHostWith(at, ["./weather.js", "./good.js"]);
    expect(host.diagnostics).toMatchObject([
      { code: "PLUGIN_INVALID", message: expect.stringContaining(why) },
    ]);
    expect((await host.openSession()).tools().map(({ name }) => name)).toContain("good");
  });

  test("cannot end the process, now or later, and the attempt is reported", async () => {
    const at = await createPluginWorkspace({});
    const notes = join(at.folder, "notes");
    const parts = `tools: [
      one("leave", async () => { await null; process.exit(3); }),
      one("later", () => { setTimeout(() => { process.exit(4); note("on"); }); return { content: [text("done")], details: {} }; }),
      { names: ["made"], factory: () => process.exit(5) },
    ],`;
    at.put("weather.js", noting(notes, parts));
    const { host, told } = await openHostWith(at, ["./weather.js"]);
    const session = await host.openSession();
    expect(session.missing()).toMatchObject([{ id: "weather/made", code: "FACTORY_FAILED" }]);
    expect(await session.call({ name: "leave" })).toMatchObject({ kind: "error", code: "PLUGIN_UNHANDLED" });
    expect(await session.call({ name: "later" })).toMatchObject({ kind: "ok" });
    await vi.waitFor(() => expect(notesIn(notes)).toEqual(["on"]), PATIENCE_MS);
    expect(told).toContain(
      "./weather.js failed in a session: ./weather.js called process.exit, which was not done.",
    );
    expect(host.plugins().at(-1)?.late).toMatchObject({ code: "PLUGIN_UNHANDLED" });
  });

  test("with a newer contract gets advice about the packages to update", async () => {
    const at = await createPluginWorkspace({});
    at.put("weather.js", noting(join(at.folder, "notes"), `apiVersion: 2, tools: [one("ask")],`));
    const { host } = await openHostWith(at, ["./weather.js"]);
    expect(host.diagnostics).toMatchObject([
      { code: "CONTRACT_UNKNOWN", fix: expect.stringContaining("Update the host's Haft packages") },
    ]);
  });
});
