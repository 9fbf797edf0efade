import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { installedPackage, tool } from "../../../host/test/plugins/support.ts";
import { haftHere } from "../support/haft.ts";

async function setUp(files: Readonly<Record<string, string>>) {
  const cwd = await temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(cwd, path, ".."), { recursive: true });
    await writeFile(join(cwd, path), text);
  }
  const env = { XDG_CONFIG_HOME: join(cwd, "xdg"), HAFT_CONFIG: "", HAFT_POLICY: "", HAFT_ADMIN_POLICY: "" };
  return { cwd, env };
}

const line = (id: string, name: string) => `${JSON.stringify({ id, name, arguments: {} })}\n`;

test("keeps output of a plugin out of the answers, at its load and in its calls", async () => {
  const before = `console.log("loading"); process.stdout.write("still\\n");`;
  const execute = `execute: async () => { console.log("called"); return { content: [text("done")], details: {} }; },`;
  const at = await setUp({ "src/index.ts": tool("loud", "shout", { before, more: execute }) });
  const input = line("1", "shout") + line("2", "shout");
  const run = await haftHere(["run", "--json", "--plugin", "src/index.ts"], { ...at, input });
  expect(run.code).toBe(0);
  expect(run.lines().map(({ kind, content }) => [kind, content[0].text])).toEqual([
    ["ok", "done"],
    ["ok", "done"],
  ]);
  expect(run.stderr).toBe("loading\nstill\ncalled\ncalled\n");
});

test("accepts --plugin before a command, and lists the tools of the plugin without one", async () => {
  const at = await setUp({ "near.ts": tool("near", "nearby") });
  const shown = await haftHere(["--plugin", "near.ts"], at);
  expect(shown).toMatchObject({
    code: 0,
    stderr: "",
    stdout: expect.stringMatching(/^ {2}nearby +Answers$/m),
  });
  const called = await haftHere(["--plugin=near.ts", "tools", "call", "nearby", "{}"], at);
  expect(called).toMatchObject({ code: 0, stdout: "nearby\n" });
});

test("shows known facts about finished tools in info", async () => {
  const at = await setUp({ "near.ts": tool("near", "nearby") });
  const { stdout } = await haftHere(["plugins", "info", "near", "--plugin", "near.ts"], at);
  expect(stdout).toMatch(/^nearby: .*about \d+ tokens$/m);
  expect(stdout).toMatch(/^Files it was tried with:\n.*near\.ts$/m);
});

test("loads a broken plugin again each time, because the cause may not be a file", async () => {
  const before = 'if (process.env.FORECAST_KEY === undefined) throw new Error("FORECAST_KEY is not set");';
  const at = await setUp({ "near.ts": tool("near", "nearby", { before }) });
  const without = await haftHere(["tools", "call", "nearby", "{}", "--plugin", "near.ts"], at);
  expect(without).toMatchObject({ code: 1, stderr: expect.stringMatching(/FORECAST_KEY is not set/) });
  const env = { ...at.env, FORECAST_KEY: "1" };
  const called = await haftHere(["tools", "call", "nearby", "{}", "--plugin", "near.ts"], { ...at, env });
  expect(called).toMatchObject({ code: 0, stdout: "nearby\n", stderr: "" });
});

test("knows the tools of plugins in tools, explain and policy, and reports broken plugins", async () => {
  const at = await setUp({
    ...Object.fromEntries(
      Object.entries(installedPackage("haft-plugin-weather", tool("weather", "forecast"))).map(
        ([path, text]) => [`xdg/haft/${path}`, text],
      ),
    ),
    "xdg/haft/haft.config.yaml": "plugins: [haft-plugin-weather, ./gone.ts]\n",
    "near.ts": tool("near", "nearby"),
    "policy.yaml": "sessions: { group: { grant: [forecast, nearby] } }\n",
  });
  const tools = await haftHere(
    ["tools", "--plugin", "near.ts", "--policy", "policy.yaml", "--session", "group"],
    at,
  );
  expect(tools.code).toBe(0);
  expect(tools.stdout).toMatch(/^ {2}forecast +Answers$/m);
  expect(tools.stdout).toMatch(/^ {2}nearby +Answers$/m);
  expect(tools.stderr).toMatch(
    /^haft: A plugin is left out \(plugins\[1\] of .*\): There is no file .*gone\.ts\. /,
  );
  expect(tools.stderr.trim().split("\n")).toHaveLength(1);
  const check = await haftHere(["policy", "check", "--plugin", "near.ts", "policy.yaml"], at);
  expect(check).toMatchObject({ code: 0, stdout: "policy.yaml: no problems.\n" });
  const without = await haftHere(["policy", "check", "--no-config", "policy.yaml"], at);
  expect(without).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/There is no tool or plugin "forecast"/),
  });
  const show = await haftHere(["config", "show", "--json", "--plugin", "near.ts"], at);
  expect(show.lines()[0].values).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ key: "plugins[0]", value: "haft-plugin-weather", line: 1 }),
      expect.objectContaining({ key: "plugins[2]", value: join(at.cwd, "near.ts"), from: "--plugin" }),
    ]),
  );
  expect(show.lines()[0].values.map(({ key }: { key: string }) => key)).not.toContain("plugins");
  const config = await haftHere(["config", "check", "xdg/haft/haft.config.yaml"], at);
  expect(config).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^xdg\/haft\/haft\.config\.yaml: plugins\[1\]: There is no file/),
  });
});

test("reports the line of an invalid entry", async () => {
  const at = await setUp({
    "c.yaml":
      "plugins:\n  - 7\n  - { use: x, cofnig: {} }\n  - { config: {} }\n  - { use: x, replaces: exec }\n",
  });
  const run = await haftHere(["config", "check", "c.yaml"], at);
  expect(run.code).toBe(1);
  expect(run.stderr.trim().split("\n")).toEqual([
    expect.stringMatching(/^c\.yaml:2: plugins\[0\]: Expected string of at least 1 characters, got number 7/),
    expect.stringMatching(/^c\.yaml:3: plugins\[1\]\.cofnig: There is no such key.*Did you mean "config"\?/),
    expect.stringMatching(/^c\.yaml:4: plugins\[2\]: It has no use/),
    expect.stringMatching(/^c\.yaml:5: plugins\[3\]\.replaces: Expected array/),
  ]);
});
