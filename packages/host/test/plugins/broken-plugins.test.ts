import { tryPlugin } from "@haft/plugin-loader/internal/check";
import { isAlive } from "@haft/system";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { until } from "../../../../test/support/until.ts";
import { surveyPlugins } from "../../src/host/survey-plugins.ts";
import {
  openHostWith,
  installedPackage,
  readLoads,
  recordLoad,
  createPluginWorkspace,
  tool,
} from "./support.ts";

const SDK = 'import { definePlugin, defineTool, Type } from "@haft/plugin-sdk";\n';
const TOOL = `const one = defineTool({ name: "one", description: "One.", parameters: Type.Object({}), effects: [], execute: () => ({ content: [], details: {} }) });\n`;
const ALL = SDK + TOOL;

/** What an author or an operator got wrong, and what they are told. */
const MISTAKES: Readonly<Record<string, [text: string | undefined, message: RegExp]>> = {
  "throws.js": [
    'throw new Error("no luck");',
    /throws\.js threw while it was loaded: no luck \(.*throws\.js:2\)/,
  ],
  "exits.js": ["process.exit(3);", /ended the process while it was loaded, with exit code 3/],
  "crashes.js": [
    'process.kill(process.pid, "SIGSEGV"); setInterval(() => {}, 1000); await new Promise(() => {});',
    /ended the process while it was loaded, by SIGSEGV/,
  ],
  "waits.js": ["await new Promise(() => {});", /waits forever: an await never ends\. Report it/],
  // It answers in the place of the trial, and what it says is nothing.
  "lies.js": [
    `import { writeSync } from "node:fs";
for (const line of [{ problem: null }, { misses: 7 }, { uses: 5 }, { loader: "node", described: null, notes: 1 },
  { loader: "node", described: { id: "x" }, notes: [] }, { loader: "node", described: { id: "x", registrations: [{}] }, notes: [] }])
  writeSync(3, JSON.stringify(line) + "\\n");
process.exit(4);`,
    /ended the process while it was loaded, with exit code 4/,
  ],
  "later.js": [
    `Promise.reject(new Error("behind your back"));\n${tool("later", "late")}`,
    /threw while it was loaded: behind your back/,
  ],
  "absent.js": [undefined, /There is no file .*absent\.js\./],
  "imports.js": ['import "./gone.js";', /imports what is not there: .*gone\.js/],
  "package.js": ['import "left-pad-of-nobody";', /imports what is not there: .*left-pad-of-nobody/],
  "syntax.js": ["export default {;", /cannot be parsed: Unexpected token ';'/],
  "enum.ts": ["export enum A { B }", /TypeScript of a kind that Node cannot run/],
  "commonjs.mjs": ["module.exports = {};", /is CommonJS where ECMAScript modules are expected/],
  "nothing.js": ["export {};", /nothing\.js exports nothing\./],
  "named.js": [
    `${ALL}export const weather = definePlugin({ id: "named", tools: [one] });`,
    /has no default export, only weather\. Its author writes export default weather\./,
  ],
  "function.js": [
    `${ALL}export default () => definePlugin({ id: "named", tools: [one] });`,
    /The default export of .*function\.js is a function instead of its result/,
  ],
  "promise.js": [
    `${ALL}export default Promise.resolve(definePlugin({ id: "named", tools: [one] }));`,
    /is a promise\. Await it/,
  ],
  "module.js": [`import * as all from "./named.js";\nexport default all;`, /is a whole module/],
  "tool.js": [`${ALL}export default one;`, /is a tool, not a plugin/],
  "undefined.js": [
    `${ALL}export default definePlugin({ id: "holes", tools: [undefined] });`,
    /Plugin "holes" has undefined for tools\[0\] and not a tool/,
  ],
  "future.js": [
    'export default { id: "future", contract: 99, tools: [] };',
    /written for contract 99, and this host knows contract 1/,
  ],
  "key.js": [
    'export default { id: "slip", tolls: [] };',
    /Plugin "slip" has a key "tolls"; did you mean "tools"\?/,
  ],
};

test("reports each mistake for its plugin only, and does not try it again until a file changes", async () => {
  const at = await createPluginWorkspace({ "good.js": tool("good", "good") });
  const loads = join(at.folder, "loads");
  for (const [name, [text]] of Object.entries(MISTAKES))
    if (text !== undefined) at.put(name, name === "throws.js" ? `${recordLoad(loads)} ${text}` : text);
  const names = [...Object.keys(MISTAKES).map((name) => `./${name}`), "./good.js"];

  const { host, told } = await openHostWith(at, names);
  for (const [name, [, message]] of Object.entries(MISTAKES)) {
    const report = host.plugins().find(({ use }) => use === `./${name}`);
    expect(report).toMatchObject({ use: `./${name}`, state: "broken", tools: [] });
    expect(`${report?.problem?.message} ${report?.problem?.fix}`).toMatch(message);
    // A line each, with the place in the configuration.
    expect(told.filter((line) => line.includes(`${report?.at} of ${report?.source}`))).toHaveLength(1);
  }
  const session = await host.openSession();
  expect(session.tools().map(({ name }) => name)).toContain("good");
  expect(readLoads(loads)).toHaveLength(1);

  const again = await openHostWith(at, names);
  expect(again.told).toEqual(told);
  expect(readLoads(loads)).toHaveLength(1);

  at.put("throws.js", tool("mended", "mended"));
  at.put("gone.js", "");
  const mended = await openHostWith(at, names);
  expect(mended.host.catalogue.map(({ name }) => name)).toContain("mended");
  expect(mended.host.plugins().find(({ use }) => use === "./imports.js")?.problem?.message).toMatch(
    /exports nothing/,
  );
});

test("lists the earlier tools of a plugin that can no longer be loaded as missing", async () => {
  const at = await createPluginWorkspace({ "main.js": tool("known", "forecast") });
  await openHostWith(at, ["./main.js"]);
  at.put("main.js", "throw new Error('no luck');");
  const { host } = await openHostWith(at, ["./main.js"]);
  const session = await host.openSession();
  expect(session.missing()).toContainEqual(
    expect.objectContaining({
      id: "known/forecast",
      code: "PLUGIN_UNLOADABLE",
      reason: expect.stringMatching(/no luck/),
    }),
  );
  expect(await session.call({ name: "forecast", arguments: {} })).toMatchObject({
    content: [{ text: expect.stringMatching(/no luck/) }],
  });
});

test.for([
  ["loops", "for (;;);"],
  ["never answers", "setInterval(() => {}, 1000); await new Promise(() => {});"],
])("kills a trial of a plugin that %s", async ([_what, text]) => {
  const at = await createPluginWorkspace({ "main.js": text! });
  const record = await tryPlugin({ use: "./main.js", from: at.folder, source: "test" }, { limitMs: 500 });
  expect(record.problem?.message).toMatch(
    /was not loaded after 0\.5 seconds: it loops, or waits for something/,
  );
});

test("kills the children of a trial and ignores printed text", async () => {
  const at = await createPluginWorkspace({});
  const pids = join(at.folder, "pids");
  const start = `import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
const started = [true, false].map((detached) => spawn("sleep", ["1000"], { detached, stdio: "ignore" }));
writeFileSync(${JSON.stringify(pids)}, started.map(({ pid }) => pid).join(" "));
console.log('{"problem":{"code":"PLUGIN_INVALID","message":"printed","fix":""}}');`;
  at.put("main.js", tool("busy", "busy", { before: start }));
  const record = await tryPlugin({ use: "./main.js", from: at.folder, source: "test" });
  expect(record.problem).toBeUndefined();
  expect(record.notes).toEqual([
    expect.stringMatching(/prints to standard output while it is loaded \("\{.*printed/),
  ]);
  const started = readFileSync(pids, "utf8").split(" ").map(Number);
  expect(started).toHaveLength(2);
  for (const pid of started) await until(`${pid} is ended`, () => !isAlive({ pid, started: 0 }));
});

test("reports packages that are missing, have no entry, contain TypeScript, name a version or a core module", async () => {
  const at = await createPluginWorkspace({
    ...installedPackage("haft-plugin-empty", "", { exports: "./gone.js" }),
    ...installedPackage("haft-plugin-ts", "", { exports: "./main.ts" }),
    "node_modules/haft-plugin-ts/main.ts": tool("typed", "typed"),
    "plain.js": tool("plain", "plain"),
  });
  const messages = {
    "haft-plugin-gone":
      /There is no package haft-plugin-gone in .*node_modules\..*haft plugins add haft-plugin-gone/,
    "haft-plugin-empty": /gone\.js/,
    "haft-plugin-ts": /TypeScript in node_modules, which Node does not run/,
    "haft-plugin-ts@1.0.0": /names a version.*Write haft-plugin-ts/,
    fs: /not a package of plugins/,
    "plain.js": /The file of that name is \.\/plain\.js/,
    "https://plugins.example.com/weather.js": /not a package of plugins/,
  };
  const { host } = await openHostWith(at, Object.keys(messages));
  for (const [use, message] of Object.entries(messages)) {
    const report = host.plugins().find((each) => each.use === use);
    expect(`${report?.problem?.message} ${report?.problem?.fix}`).toMatch(message);
  }
});

test("reports a failure in a session once, records it, and omits only that tool", async () => {
  const factories = `import { definePlugin, defineTool, text, Type } from "@haft/plugin-sdk";
const one = (name) => defineTool({ name, description: "One.", parameters: Type.Object({}), effects: [], execute: () => ({ content: [text(name)], details: {} }) });
export default definePlugin({
  id: "moody",
  tools: [
    { names: ["sulk"], factory: () => { throw new Error("not today"); } },
    { names: ["later"], factory: async () => { throw new Error("not today"); } },
    { names: ["smile"], factory: () => one("smile") },
  ],
});`;
  const at = await createPluginWorkspace({ "moody.js": factories });
  const { host, told } = await openHostWith(at, ["./moody.js"]);
  for (let session = 0; session < 2; session++) {
    const { tools, missing } = await surveyPlugins(host);
    expect(tools.map(({ name }) => name)).toContain("smile");
    expect(missing).toMatchObject([
      { id: "moody/sulk", code: "FACTORY_FAILED", reason: expect.stringMatching(/not today/) },
      { id: "moody/later", code: "FACTORY_FAILED" },
    ]);
  }
  expect(told.filter((line) => line === "./moody.js failed in a session: not today")).toHaveLength(1);
  const next = await openHostWith(at, ["./moody.js"]);
  expect(next.host.plugins().at(-1)).toMatchObject({
    state: "ready",
    late: { code: "FACTORY_FAILED", names: ["sulk"], message: "not today" },
  });
});
