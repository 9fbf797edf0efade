import { chmodSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { openHostWith, createPluginWorkspace, type PluginWorkspace } from "./support.ts";

afterEach(() => void vi.unstubAllEnvs());

const VALUE = "sk-weather-0123456789";

const MODULE = `import { definePlugin, defineTool, text, Type } from "@haft/plugin-sdk";
const one = (name, answer) =>
  defineTool({ name, description: "One.", parameters: Type.Object({}), effects: [], execute: () => ({ content: [text(answer)], details: {} }) });
export default definePlugin({
  id: "weather",
  configSchema: Type.Object({
    key: Type.String({ "x-secret": true, minLength: 8 }),
    keys: Type.Optional(Type.Array(Type.String({ writeOnly: true }))),
    place: Type.Optional(Type.Unknown()),
    login: Type.Optional(Type.Object({ env: Type.String() }, { writeOnly: true })),
    token: Type.Optional(Type.Union([Type.Object({ env: Type.String() }), Type.String()], { writeOnly: true })),
  }),
  tools: [{ names: ["ask"], factory: ({ config }) => one("ask", String(config.key.length) + " " + config.key) }],
});
`;

async function weather(): Promise<PluginWorkspace> {
  const at = await createPluginWorkspace({ "weather.js": MODULE, "key.txt": `${VALUE}\n` });
  chmodSync(join(at.folder, "key.txt"), 0o600);
  vi.stubEnv("HAFT_TEST_KEY", VALUE);
  vi.stubEnv("HAFT_TEST_EMPTY", "");
  return at;
}

const open = (at: PluginWorkspace, config: object) => openHostWith(at, [{ use: "./weather.js", config }]);

describe("a secret of a plugin", () => {
  test.each([
    ["a variable", { env: "HAFT_TEST_KEY" }],
    ["a file beside the configuration", { file: "./key.txt" }],
  ])("is read from %s, and masked in results", async (_what, key) => {
    const { host, told } = await open(await weather(), { key, keys: [key, "another-one"] });
    expect(told).toEqual([]);
    const session = await host.openSession();
    const outcome = await session.call({ name: "ask", arguments: {} });
    expect(outcome).toMatchObject({ kind: "ok", content: [{ text: `${VALUE.length} [secret]` }] });
  });

  test("is masked in the stored arguments of each call, until the host closes", async () => {
    const at = await weather();
    const { host } = await open(at, { key: { env: "HAFT_TEST_KEY" } });
    const session = await host.openSession();
    const encoded = Buffer.from(`user:${VALUE}`).toString("base64");
    await session.call({ name: "grep", arguments: { pattern: `${VALUE} ${encoded}`, [VALUE]: 1 } });
    await session.call({ name: "ask", arguments: { [VALUE]: VALUE } });
    await host.close();
    const files = readdirSync(at.stateDir, { recursive: true, withFileTypes: true });
    const stored = files
      .filter((file) => file.isFile())
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "latin1"))
      .join("\n");
    expect(stored).toContain('"pattern":"[secret] ');
    expect(stored).not.toContain(VALUE);
    expect(stored).not.toContain(encoded);
  });

  test.each<[string, object, RegExp]>([
    [
      "an unknown variable",
      { env: "HAFT_TEST_UNSET" },
      /config\.key: the variable HAFT_TEST_UNSET is not set/,
    ],
    ["an empty variable", { env: "HAFT_TEST_EMPTY" }, /HAFT_TEST_EMPTY is not set/],
    ["a missing file", { file: "./gone.txt" }, /config\.key: .*ENOENT/],
    ["a folder", { file: "./folder" }, /folder is not a file of at most 64 KiB/],
    [
      "a file that others can read",
      { file: "./open.txt" },
      /open\.txt can be read by other users; run chmod 600/,
    ],
    ["an empty file", { file: "./empty.txt" }, /empty\.txt is empty/],
    ["a value that is too short", { file: "./short.txt" }, /config\.key: Expected/],
    ["two sources", { env: "HAFT_TEST_KEY", file: "./key.txt" }, /config\.key: Expected/],
  ])("leaves the plugin out: %s", async (_what, key, why) => {
    const at = await weather();
    mkdirSync(join(at.folder, "folder"));
    for (const [name, text] of [
      ["open.txt", VALUE],
      ["empty.txt", "\n"],
      ["short.txt", "short"],
    ] as const) {
      at.put(name, text);
      chmodSync(join(at.folder, name), name === "open.txt" ? 0o644 : 0o600);
    }
    const { host, told } = await open(at, { key });
    const [problem] = host.diagnostics;
    expect(problem).toMatchObject({ code: "PLUGIN_CONFIG_INVALID", message: expect.stringMatching(why) });
    expect(problem!.message).toContain("haft.config.json");
    expect(`${told.join()} ${JSON.stringify(host.plugins())}`).not.toContain(VALUE);
    expect((await host.openSession()).tools().map(({ name }) => name)).not.toContain("ask");
  });

  test("is reported with the id and the tools of the plugin, and promises no other try", async () => {
    const { host } = await open(await weather(), { key: { env: "HAFT_TEST_UNSET" } });
    const [problem] = host.diagnostics;
    expect(problem).toMatchObject({ pluginId: "weather", names: ["ask"] });
    expect(problem!.fix).not.toContain("tried again");
  });

  test("is no reference where the schema allows no text", async () => {
    const at = await weather();
    const { host } = await open(at, { key: VALUE, login: { env: "HAFT_TEST_UNSET" } });
    expect(host.diagnostics).toEqual([]);
    const other = await open(at, { key: VALUE, token: { env: "HAFT_TEST_UNSET" } });
    expect(other.host.diagnostics).toMatchObject([
      { message: expect.stringContaining("HAFT_TEST_UNSET is not set") },
    ]);
  });

  test("is no reference at a key that the plugin does not mark as secret", async () => {
    const { host } = await open(await weather(), { key: VALUE, place: { env: "HAFT_TEST_UNSET" } });
    expect(host.diagnostics).toEqual([]);
  });
});
