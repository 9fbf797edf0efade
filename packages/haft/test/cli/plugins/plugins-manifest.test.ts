import { existsSync } from "node:fs";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeHome, readPrintedLine } from "./plugin-packages.ts";

const TOOL = `({ name, description: "Says the weather.", effects: ["network"],
  parameters: { type: "object", properties: { place: { type: "string" } } },
  execute: () => ({ content: [{ type: "text", text: "rain" }], details: {} }) })`;

/** A module of a plugin; `more` of its definition. */
const moduleOf = ({ tool = "forecast", parts = "", factory = "", before = "" } = {}) => `
const make = (name) => ${TOOL};
${before}
export default { id: "weather", contract: 1, ${parts} tools: [
  { names: ["${tool}"], scope: "host", static: true, factory: () => make("${tool}") },
  ${factory}
] };
`;

const FACTORY = `{ names: ["radar"], optional: true, channels: ["mail"], effects: ["network"], hosts: ["radar.example.com"], factory: () => make("radar") },`;

/** A package that is installed beside a configuration that names it. */
async function installed(module: string, manifest?: object | string) {
  const home = await makeHome();
  const folder = join(home.config, "node_modules/haft-plugin-weather");
  await mkdir(folder, { recursive: true });
  await chmod(home.config, 0o700);
  const put = (name: string, value: object | string) =>
    writeFile(join(folder, name), typeof value === "string" ? value : JSON.stringify(value));
  await put("package.json", {
    name: "haft-plugin-weather",
    version: "1.0.0",
    type: "module",
    exports: "./index.js",
    files: ["index.js"],
    peerDependencies: { "@haft/plugin-sdk": "^1.0.0" },
  });
  await put("index.js", module);
  if (manifest !== undefined) await put("haft.plugin.json", manifest);
  await writeFile(join(home.config, "haft.config.yaml"), "plugins: [haft-plugin-weather]\n", { mode: 0o600 });
  return { ...home, folder, put, file: join(folder, "haft.plugin.json") };
}

type Installed = Awaited<ReturnType<typeof installed>>;
const made = async ({ haft, folder }: Installed) =>
  readPrintedLine(await haft("plugins", "manifest", folder, "--dry-run", "--json"), "plugins manifest")
    .manifest;

describe("a manifest made from the code", () => {
  test("lists finished tools and declarations of factories", async () => {
    const parts = `configSchema: { type: "object", properties: { apiKey: { type: "string", "x-secret": true } } }, hosts: ["api.example.com"],`;
    const at = await installed(moduleOf({ parts, factory: FACTORY }));
    expect(await made(at)).toEqual({
      $schema: "./node_modules/@haft/plugin-sdk/haft.plugin.schema.json",
      manifest: 1,
      id: "weather",
      version: "1.0.0",
      contract: 1,
      sdk: "^1.0.0",
      configSchema: { type: "object", properties: { apiKey: { type: "string", "x-secret": true } } },
      tools: [
        {
          name: "forecast",
          description: "Says the weather.",
          effects: ["network"],
          hosts: ["api.example.com"],
          parameters: { type: "object", properties: { place: { type: "string" } } },
        },
        {
          name: "radar",
          effects: ["network"],
          hosts: ["radar.example.com"],
          optional: true,
          channels: ["mail"],
          factory: true,
        },
      ],
    });
  });

  test("is written next to package.json and matches the code", async () => {
    const at = await installed(moduleOf());
    const { haft, folder, file } = at;
    const missing = await haft("plugins", "manifest", folder, "--dry-run");
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining("it is not there") });
    const written = await haft("plugins", "manifest", folder);
    expect(written).toMatchObject({ code: 0, stdout: expect.stringMatching(/Wrote .*haft\.plugin\.json/) });
    expect(written.stderr).toContain('Add "haft.plugin.json" to files');
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual(await made(at));
    expect(await haft("plugins", "manifest", folder, "--dry-run")).toMatchObject({ code: 0, stderr: "" });
    const info = await haft("plugins", "info", "weather");
    expect(info).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("the plugin declares nothing beyond it"),
    });
    await at.put("index.js", moduleOf({ tool: "outlook" }));
    const other = await haft("plugins", "manifest", folder, "--dry-run");
    expect(other.stderr).toMatch(
      /does not name the tool "outlook"[^]*names the tool "forecast", which the code does not have/,
    );
  });

  test.for<[string, string[], RegExp]>([
    ["an empty folder", ["plugins", "manifest", "."], /package\.json cannot be read/],
    ["what throws", ["plugins", "manifest", "throws.js"], /threw while it was loaded: no key/],
  ])("is an error for %s", async ([, args, message]) => {
    const { haft, cwd } = await makeHome();
    await writeFile(join(cwd, "throws.js"), 'throw new Error("no key");');
    const run = await haft(...args);
    expect(run.code).not.toBe(0);
    expect(run.stderr).toMatch(message);
    expect(existsSync(join(cwd, "haft.plugin.json"))).toBe(false);
  });
});

describe("a published manifest", () => {
  const TRUE = { manifest: 1, id: "weather", tools: [{ name: "forecast", effects: ["network"] }] };

  test.for<[string, string, object | string, RegExp]>([
    ["hides a tool", moduleOf(), { ...TRUE, tools: [] }, /does not name the tool "forecast"/],
    [
      "tells fewer effects",
      moduleOf(),
      { ...TRUE, tools: [{ name: "forecast", effects: [] }] },
      /does not declare that forecast has the effect network/,
    ],
    [
      "tells fewer hosts",
      moduleOf({ parts: 'hosts: ["b.example.com"],' }),
      { ...TRUE, tools: [{ name: "forecast", effects: ["network"], hosts: ["a.example.com"] }] },
      /does not declare that forecast contacts b\.example\.com/,
    ],
    [
      "names hosts the code does not",
      moduleOf(),
      { ...TRUE, tools: [{ name: "forecast", effects: ["network"], hosts: ["a.example.com"] }] },
      /its code names no hosts/,
    ],
    [
      "says it is optional",
      moduleOf(),
      { ...TRUE, tools: [{ name: "forecast", optional: true }] },
      /declares forecast as optional, but the code does not/,
    ],
    [
      "is another's",
      moduleOf(),
      { ...TRUE, id: "other" },
      /names the id "other", but the code has "weather"/,
    ],
    ["is no JSON", moduleOf(), "{", /haft\.plugin\.json is no JSON/],
    ["has a key nobody reads", moduleOf(), { ...TRUE, tolls: [] }, /has tolls, which is unknown/],
    [
      "is of a later form",
      moduleOf(),
      { ...TRUE, manifest: 2 },
      /has number 2 for manifest, and expected is exactly 1/,
    ],
  ])("prevents the plugin from loading with %s", async ([, module, manifest, message]) => {
    const { haft } = await installed(module, manifest);
    const listed = readPrintedLine(await haft("plugins", "list", "--json"), "plugins list");
    expect(listed.plugins).toMatchObject([
      { state: "broken", problem: { code: "MANIFEST_WRONG", message: expect.stringMatching(message) } },
    ]);
    const why = readPrintedLine(await haft("plugins", "why", "forecast", "--json"), "plugins why");
    expect(why.reasons).toMatchObject([{ there: false, code: "MANIFEST_WRONG" }]);
  });

  test("is reported if it is out of date, and read again after an update", async () => {
    const { haft, folder } = await installed(moduleOf(), { ...TRUE, version: "0.9.0" });
    const first = readPrintedLine(await haft("plugins", "list", "--json"), "plugins list");
    expect(first.plugins).toMatchObject([
      {
        state: "ready",
        notes: [expect.stringMatching(/says otherwise than its code: .*version.*description of forecast/)],
      },
    ]);
    expect((await haft("plugins", "manifest", folder)).code).toBe(0);
    const second = readPrintedLine(await haft("plugins", "list", "--json"), "plugins list");
    expect(second.plugins).toMatchObject([{ state: "ready", notes: [] }]);
  });

  test("restricts factories to its declarations, which rules know before a session opens", async () => {
    const factory = '{ names: ["radar"], factory: () => make("radar") },';
    const declared = (effects: string[]) => ({
      ...TRUE,
      tools: [...TRUE.tools, { name: "radar", effects, factory: true }],
    });
    const at = await installed(moduleOf({ factory }), declared(["network"]));
    const all = (await at.haft("tools", "--all", "--json")).stdout;
    const { plugins } = readPrintedLine(await at.haft("plugins", "list", "--json"), "plugins list");
    expect(plugins[0].tools).toMatchObject([{}, { name: "radar", from: "factory", effects: ["network"] }]);
    expect(all).toContain("radar");
    await at.put("haft.plugin.json", declared(["read"]));
    const why = readPrintedLine(await at.haft("plugins", "why", "radar", "--json"), "plugins why");
    expect(why.reasons).toMatchObject([
      {
        there: false,
        code: "FACTORY_FAILED",
        reason: expect.stringContaining(
          "made radar with the effect network, which its haft.plugin.json does not declare",
        ),
      },
    ]);
  });

  test("shows the tools of a broken plugin", async () => {
    const { haft } = await installed(moduleOf({ before: 'throw new Error("no key");' }), TRUE);
    const why = readPrintedLine(await haft("plugins", "why", "forecast", "--json"), "plugins why");
    expect(why.reasons).toMatchObject([
      { about: expect.stringContaining("forecast"), code: "PLUGIN_UNLOADABLE" },
    ]);
  });

  test("shows the tools of a workspace's plugin without running it", async () => {
    const { haft, cwd } = await makeHome();
    const marker = join(cwd, "ran");
    const folder = join(cwd, "node_modules/haft-plugin-weather");
    await mkdir(folder, { recursive: true });
    await writeFile(
      join(folder, "package.json"),
      '{"name":"haft-plugin-weather","version":"1.0.0","type":"module","exports":"./index.js"}',
    );
    await writeFile(
      join(folder, "index.js"),
      `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(marker)}, "");\n${moduleOf()}`,
    );
    await writeFile(join(folder, "haft.plugin.json"), JSON.stringify(TRUE));
    await writeFile(join(cwd, "haft.config.yaml"), "plugins: [haft-plugin-weather]\n");
    const why = readPrintedLine(await haft("plugins", "why", "forecast", "--json"), "plugins why");
    expect(why.reasons).toMatchObject([
      {
        code: "PLUGIN_NOT_FOUND",
        reason: expect.stringMatching(/names haft-plugin-weather, whose manifest has "forecast"/),
        fix: expect.stringMatching(/haft config trust/),
      },
    ]);
    const other = readPrintedLine(await haft("plugins", "why", "outlook", "--json"), "plugins why");
    expect(other.reasons[0].reason).toContain("declares forecast, and is not trusted");
    expect(existsSync(marker)).toBe(false);
  });
});
