import { contentToText } from "@haft/core";
import type { Session } from "@haft/core/kernel";
import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  openHostWith,
  installedPackage,
  readLoads,
  recordLoad,
  createPluginWorkspace,
  tool,
} from "./support.ts";

const textOf = async (session: Session, name: string) => {
  const outcome = await session.call({ name, arguments: {} });
  return outcome.kind === "ok" ? contentToText(outcome.content) : (outcome as { code?: string }).code;
};

describe("plugins that a configuration names", () => {
  test("are tried in another process, offered from records, and loaded by the first call", async () => {
    const at = await createPluginWorkspace({});
    const loads = join(at.folder, "loads");
    for (const [path, text] of Object.entries(
      installedPackage("haft-plugin-weather", tool("weather", "forecast", { before: recordLoad(loads) })),
    ))
      at.put(path, text);
    at.put("local.ts", tool("local", "nearby", { before: "const answer: string = 'here';" }));
    const names = ["haft-plugin-weather", "./local.ts"];

    const first = await openHostWith(at, names);
    expect(first.told).toEqual([]);
    expect(readLoads(loads)).toHaveLength(1);
    expect(readLoads(loads)).not.toContain(process.pid);
    expect(first.host.catalogue).toContainEqual(
      expect.objectContaining({ id: "weather/forecast", effects: ["network"], builtIn: false }),
    );
    const weather = () => first.host.plugins().find(({ id }) => id === "weather");
    expect(weather()).toMatchObject({
      use: "haft-plugin-weather",
      source: join(at.folder, "haft.config.json"),
      at: "plugins[0]",
      state: "ready",
      package: { name: "haft-plugin-weather", version: "1.2.3" },
      tools: [{ name: "forecast", from: "static", effects: ["network"] }],
    });
    const session = await first.host.openSession();
    expect(session.tools().map(({ name }) => name)).toEqual(expect.arrayContaining(["forecast", "nearby"]));
    expect(readLoads(loads)).toHaveLength(1);
    expect(await textOf(session, "forecast")).toBe("forecast");
    expect(await textOf(session, "forecast")).toBe("forecast");
    expect(await textOf(session, "nearby")).toBe("nearby");
    expect(readLoads(loads)).toEqual([expect.any(Number), process.pid]);
    expect(weather()?.state).toBe("loaded");

    // Known by now: nobody tries it again.
    const second = await openHostWith(at, names);
    expect((await second.host.openSession()).tools()).toHaveLength(session.tools().length);
    expect(readLoads(loads)).toHaveLength(2);
    const [record = ""] = readdirSync(join(at.stateDir, "plugins"));
    expect(statSync(join(at.stateDir, "plugins", record)).mode & 0o777).toBe(0o600);
  });

  test("with a factory are loaded when a session opens, with their operator's settings", async () => {
    const at = await createPluginWorkspace({
      "greeter.js": `import { definePlugin, defineTool, text, Type } from "@haft/plugin-sdk";
export default definePlugin({
  id: "greeter",
  config: { word: "hello" },
  tools: [{
    names: ["greet"],
    factory: ({ config, sessionKey }) => defineTool({
      name: "greet", description: "Greets.", parameters: Type.Object({}), effects: [],
      execute: () => ({ content: [text(config.word + " " + sessionKey)], details: {} }),
    }),
  }],
});`,
    });
    const withGreeter = await openHostWith(at, ["./greeter.js"]);
    expect(withGreeter.host.plugins().at(-1)).toMatchObject({
      state: "ready",
      tools: [{ name: "greet", from: "factory" }],
    });
    expect(await textOf(await withGreeter.host.openSession({ sessionKey: "you" }), "greet")).toBe(
      "hello you",
    );
    expect(withGreeter.host.plugins().at(-1)?.state).toBe("loaded");
    const other = await openHostWith(at, [{ use: "./greeter.js", config: { word: "bye" } }]);
    expect(await textOf(await other.host.openSession({ sessionKey: "you" }), "greet")).toBe("bye you");
  });

  test("compute their own plans", async () => {
    const more = `plan: () => ({ subjects: { hosts: ["api.example.com"] } }), wantsPlan: () => true,`;
    const at = await createPluginWorkspace({ "planning.js": tool("planning", "ask", { more }) });
    const { host } = await openHostWith(at, ["./planning.js"], {
      policy: { deny: ["ask(host:api.example.com)"] },
    });
    expect(host.plugins().at(-1)?.state).toBe("ready");
    const session = await host.openSession();
    expect(await session.explain("ask", {})).toMatchObject({
      verdict: "denied",
      plan: { subjects: { hosts: ["api.example.com"] } },
    });
    expect(host.plugins().at(-1)?.state).toBe("loaded");
  });

  test("are tried again only if one of their files changes", async () => {
    const at = await createPluginWorkspace({});
    const loads = join(at.folder, "loads");
    const text = tool("versions", "which", { before: `${recordLoad(loads)}\nimport "./part.js";` });
    at.put("main.js", text);
    at.put("part.js", "export const version = 1;");
    await openHostWith(at, ["./main.js"]);
    // Written anew as it was.
    at.put("main.js", text);
    await openHostWith(at, ["./main.js"]);
    expect(readLoads(loads)).toHaveLength(1);
    at.put("part.js", "export const version = 2;");
    await openHostWith(at, ["./main.js"]);
    expect(readLoads(loads)).toHaveLength(2);
  });

  test("that changed since their trial are withheld with the reason, and tried at the next start", async () => {
    const at = await createPluginWorkspace({ "main.js": tool("shifting", "shift") });
    const { host } = await openHostWith(at, ["./main.js"]);
    const session = await host.openSession();
    at.put("main.js", tool("shifting", "shift", { more: "label: 'Other'," }));
    expect(await textOf(session, "shift")).toBe("PLUGIN_CHANGED");
    expect(host.plugins().at(-1)?.late).toMatchObject({ code: "PLUGIN_CHANGED", names: ["shift"] });
    const next = await openHostWith(at, ["./main.js"]);
    expect(next.host.plugins().at(-1)).toMatchObject({ state: "ready" });
    expect(next.host.plugins().at(-1)?.late).toBeUndefined();
    expect(await textOf(await next.host.openSession(), "shift")).toBe("shift");
  });

  test("that change with each load are not run, because models and policies saw another tool", async () => {
    const before = "const description = String(process.pid);";
    const at = await createPluginWorkspace({
      "main.js": tool("lying", "lie", { before, more: "description," }),
    });
    const { host } = await openHostWith(at, ["./main.js"]);
    const session = await host.openSession();
    expect(await session.call({ name: "lie", arguments: {} })).toMatchObject({
      code: "PLUGIN_CHANGED",
      receipt: "none",
      content: [{ text: expect.stringMatching(/another description of "lie"/) }],
    });
  });

  test("work without records, with one warning", async () => {
    const at = await createPluginWorkspace({ "main.js": tool("kept", "keep") });
    mkdirSync(at.stateDir);
    writeFileSync(join(at.stateDir, "plugins"), "a file where a folder should be");
    const { host, told } = await openHostWith(at, ["./main.js", "./gone.js"]);
    expect(told.filter((line) => line.includes("cannot be stored"))).toHaveLength(1);
    expect(await textOf(await host.openSession(), "keep")).toBe("keep");
  });
});

describe("TypeScript that Node cannot run", () => {
  const enums = tool("counted", "count", {
    before: 'import { last } from "./part.ts";\nenum Kind { First, Second }',
  }).replace('text("count")', "text(Kind[last] ?? String(last))");
  const part = "namespace Numbers { export const last = 1; }\nexport const last = Numbers.last;";

  test("runs with tsx of its project, or is reported without it", async () => {
    const at = await createPluginWorkspace({ "main.ts": enums, "part.ts": part });
    const without = await openHostWith(at, ["./main.ts"]);
    expect(without.host.plugins().at(-1)?.problem).toMatchObject({
      code: "PLUGIN_UNLOADABLE",
      message: expect.stringMatching(/TypeScript of a kind that Node cannot run/),
      fix: expect.stringMatching(/install tsx in its project/),
    });
    // As its package manager would.
    const folder = dirname(createRequire(import.meta.url).resolve("tsx/package.json"));
    mkdirSync(join(at.folder, "node_modules"));
    symlinkSync(folder, join(at.folder, "node_modules/tsx"));
    const common = await openHostWith(at, ["./main.ts"]);
    expect(common.host.plugins().at(-1)?.problem?.fix).toMatch(/"type": "module"/);
    at.put("package.json", '{ "type": "module" }');
    const { host } = await openHostWith(at, ["./main.ts"]);
    expect(host.plugins().at(-1)).toMatchObject({ state: "ready", loader: "tsx" });
    expect(await textOf(await host.openSession(), "count")).toBe("Second");
    // What it was made of is looked at like any other file of it.
    at.put("part.ts", "export const last = 1; throw new Error('no luck');");
    const broken = await openHostWith(at, ["./main.ts"]);
    expect(broken.host.plugins().at(-1)?.problem?.message).toMatch(/no luck/);
  });
});
