import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Home, makeHome, moduleWith, readPrintedLine } from "./plugin-packages.ts";

/** A home with a configuration, and the files beside it. */
async function home(configuration: string, files: Record<string, string> = {}): Promise<Home> {
  const made = await makeHome();
  await mkdir(made.config, { recursive: true, mode: 0o700 });
  for (const [name, text] of Object.entries({ "haft.config.yaml": configuration, ...files })) {
    await mkdir(join(made.config, name, ".."), { recursive: true });
    await writeFile(join(made.config, name), text, { mode: 0o600 });
  }
  return made;
}

const pluginWith = (registration: string) =>
  moduleWith("own", "own_tool").replace("names: [tool.name],", `names: [tool.name], ${registration},`);

describe("the reason for a missing tool or plugin", () => {
  test.each<{
    what: string;
    configuration: string;
    module?: string;
    files?: Record<string, string>;
    ask: string[];
    code: string;
    reason: RegExp;
    fix: RegExp;
  }>([
    {
      what: "nothing names it",
      configuration: "{}\n",
      ask: ["own_tool"],
      code: "PLUGIN_NOT_FOUND",
      reason: /No configured plugin has a tool or the name "own_tool".*checked .*haft\.config\.yaml/,
      fix: /haft plugins add NAME/,
    },
    {
      what: "it is installed, and not named",
      configuration: "{}\n",
      files: { "node_modules/haft-plugin-own/package.json": '{"name":"haft-plugin-own"}' },
      ask: ["haft-plugin-own"],
      code: "PLUGIN_NOT_FOUND",
      reason: /is installed in .*, and no configuration names it/,
      fix: /haft plugins add haft-plugin-own/,
    },
    {
      what: "its package is missing",
      configuration: "plugins: [haft-plugin-own]\n",
      ask: ["haft-plugin-own"],
      code: "PLUGIN_NOT_FOUND",
      reason: /There is no package haft-plugin-own in .*node_modules/,
      fix: /haft plugins add haft-plugin-own/,
    },
    {
      what: "it throws",
      configuration: "plugins: [./own.js]\n",
      module: 'throw new Error("no key");',
      ask: ["./own.js"],
      code: "PLUGIN_UNLOADABLE",
      reason: /threw while it was loaded: no key/,
      fix: /author/,
    },
    {
      what: "it ends its process",
      configuration: "plugins: [./own.js]\n",
      module: "process.exit(3);",
      ask: ["./own.js"],
      code: "PLUGIN_UNLOADABLE",
      reason: /ended the process while it was loaded, with exit code 3/,
      fix: /author/,
    },
    {
      what: "a built-in tool has its name",
      configuration: "plugins: [./own.js]\n",
      module: moduleWith("own", "read"),
      ask: ["own/read"],
      code: "TOOL_NAME_COLLISION",
      reason: /both claim the name "read"/,
      fix: /own\/read/,
    },
    {
      what: "it would replace a built-in tool",
      configuration: "plugins: [./own.js]\n",
      module: moduleWith("own", "read").replace("contract: 1,", 'contract: 1, replaces: ["read"],'),
      ask: ["own"],
      code: "TOOL_NAME_COLLISION",
      reason: /would replace the built-in tool "read"/,
      fix: /replaces: \["read"\]/,
    },
    {
      what: "a rule denies it",
      configuration: "plugins: [./own.js]\npolicy: { deny: [own_tool] }\n",
      ask: ["own_tool"],
      code: "POLICY_DENIED",
      reason: /own_tool/,
      fix: /haft\.config\.yaml|deny/,
    },
    {
      what: "it is optional",
      configuration: "plugins: [./own.js]\n",
      ask: ["own_tool_later"],
      code: "POLICY_DENIED",
      reason: /optional/,
      fix: /own_tool_later/,
    },
    {
      what: "nothing grants it in a group",
      configuration: "plugins: [./own.js]\n",
      ask: ["own_tool", "--session", "group"],
      code: "POLICY_DENIED",
      reason: /group/,
      fix: /grant/,
    },
    {
      what: "it is for other channels",
      configuration: "plugins: [./own.js]\n",
      module: pluginWith('channels: ["telegram"]'),
      ask: ["own_tool"],
      code: "TOOL_WITHHELD",
      reason: /"telegram"/,
      fix: /channel/,
    },
    {
      what: "its factory did not create it",
      configuration: "plugins: [./own.js]\n",
      module: moduleWith("own", "own_tool").replace(
        "static: true, factory: () => tool",
        "factory: () => null",
      ),
      ask: ["own_tool"],
      code: "TOOL_WITHHELD",
      reason: /its factory did not create it for this session/,
      fix: /documentation/,
    },
  ])(
    "$what",
    async ({ configuration, module = moduleWith("own", "own_tool"), files, ask, code, reason, fix }) => {
      const { haft } = await home(configuration, { "own.js": module, ...files });
      const result = await haft("plugins", "why", ...ask, "--json");
      const { reasons } = readPrintedLine(result, "plugins why");
      const found = reasons.find((one: { code: string }) => one.code === code);
      expect(reasons.map((one: { code: string }) => one.code)).toContain(code);
      expect(found).toMatchObject({
        there: false,
        reason: expect.stringMatching(reason),
        fix: expect.stringMatching(fix),
      });
    },
  );

  test("names the rule and the plugin of an available tool", async () => {
    const { haft, config } = await home("plugins: [./own.js]\n", { "own.js": moduleWith("own", "own_tool") });
    const result = await haft("plugins", "why", "own_tool", "--json");
    expect(result.code).toBe(0);
    expect(readPrintedLine(result, "plugins why").reasons[0]).toMatchObject({
      there: true,
      plugin: "./own.js",
      named: `${join(config, "haft.config.yaml")}, plugins[0]`,
    });
    expect(await haft("plugins", "why", "own-tool")).toMatchObject({ code: 0 });
    expect((await haft("plugins", "why", "read")).stdout).toMatch(/tool read is available.*built-in/s);
  });

  test("tells each reason once if the plugin has the name of its denied tool", async () => {
    const { haft } = await home("plugins: [./own.js]\npolicy: { deny: [own/own] }\n", {
      "own.js": moduleWith("own", "own"),
    });
    const result = await haft("plugins", "why", "own", "--json");
    expect(result.code).toBe(1);
    const { reasons } = readPrintedLine(result, "plugins why");
    expect(reasons.map(({ about }: { about: string }) => about)).toEqual([
      ...new Set(reasons.map(({ about }: { about: string }) => about)),
    ]);
    expect(reasons).toMatchObject([
      { about: "tool own of plugin own", there: false },
      { about: "plugin own", there: false },
      { there: false },
    ]);
  });

  test("suggests a command for the same configuration", async () => {
    const { haft, cwd } = await home("{}\n");
    const file = join(cwd, "other.yaml");
    await writeFile(file, "plugins: [haft-plugin-own]\n", { mode: 0o600 });
    const command = `haft plugins add haft-plugin-own --config ${file}`;
    expect((await haft("plugins", "why", "haft-plugin-own", "--config", file)).stdout).toContain(command);
    expect((await haft("plugins", "list", "--config", file)).stdout).toContain(command);
  });

  test("names an untrusted file of the workspace", async () => {
    const { haft, cwd } = await home("{}\n");
    const file = join(cwd, "haft.config.yaml");
    await writeFile(file, "plugins: [{ use: haft-plugin-own }]\n", { mode: 0o600 });
    const { reasons } = readPrintedLine(
      await haft("plugins", "why", "haft-plugin-own", "--json"),
      "plugins why",
    );
    expect(reasons).toEqual([
      expect.objectContaining({
        code: "PLUGIN_NOT_FOUND",
        reason: expect.stringContaining("before you trust it"),
        fix: expect.stringMatching(/haft config trust \S+haft\.config\.yaml/),
      }),
    ]);
    expect(whole((await haft("plugins", "list")).stdout, cwd)).toContain(`haft-plugin-own: ${file} names it`);
    const tool = await haft("plugins", "why", "own_tool");
    expect(tool.stdout).toMatch(
      /The tools of haft-plugin-own are unknown: not trusted\.[^]*haft config trust /,
    );
    // A tool of that name in its rules is another matter.
    await writeFile(file, "policy: { deny: [haft-plugin-own] }\n", { mode: 0o600 });
    expect((await haft("plugins", "why", "haft-plugin-own")).stdout).toContain("No configured plugin has");
  });

  test("names a broken plugin that may have it", async () => {
    const { haft } = await home("plugins: [./own.js]\n", { "own.js": "throw new Error();" });
    const explained = await haft("plugins", "why", "own_tool");
    expect(explained).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/The tools of \.\/own\.js are unknown/),
    });
  });
});

/** A command that is a process of its own has the folder around these as its home. */
function whole(text: string, cwd: string): string {
  return text.replaceAll("~/", `${dirname(cwd)}/`);
}

test("equals the output in the guide", async () => {
  const guide = await readFile(new URL("../../../../../docs/guides/plugins.md", import.meta.url), "utf8");
  const shown = /```text\n\$ npx haft (.+)\n([^`]+)```/.exec(guide)!;
  const folder = "node_modules/haft-plugin-weather";
  const { haft, config, cwd } = await home("plugins: [haft-plugin-weather]\n", {
    [`${folder}/package.json`]: '{"name":"haft-plugin-weather","type":"module","exports":"./index.js"}',
    [`${folder}/index.js`]: moduleWith("weather", "forecast"),
  });
  const { stdout } = await haft(...shown[1]!.split(" "));
  expect(whole(stdout, cwd).replaceAll(config, "~/.config/haft")).toBe(shown[2]);
});

test("is part of info, and problems are part of check", async () => {
  const { haft, config, cwd } = await home("plugins:\n  - { use: ./own.js, config: { unit: c } }\n", {
    "own.js": moduleWith("own", "own_tool"),
  });
  const info = await haft("plugins", "info", "own");
  expect(info).toMatchObject({ code: 0, stderr: "" });
  expect(info.stdout).toMatch(
    /own_tool: network; about \d+ tokens.*Says the weather of a place.*place +string +Where\./s,
  );
  expect(whole(info.stdout, cwd)).toContain(join(config, "own.js"));
  const known = readPrintedLine(await haft("plugins", "info", "./own.js", "--json"), "plugins info");
  expect(known).toMatchObject({ report: { id: "own", at: "plugins[0]" }, files: [join(config, "own.js")] });
  expect((await haft("plugins", "info", "onw")).stderr).toMatch(/names a plugin "onw".*Did you mean own\?/);

  expect(await haft("plugins", "check", "own")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("✓ own"),
  });
  await writeFile(join(config, "slip.js"), moduleWith("slip", "one").replace("description", "descripton"));
  const broken = await haft("plugins", "check", join(config, "slip.js"), "--json");
  expect(broken.code).toBe(1);
  const slip = { severity: "error", message: expect.stringContaining('did you mean "description"?') };
  expect(readPrintedLine(broken, "plugins check")).toMatchObject({
    ok: false,
    plugins: [{ plugin: "slip", findings: [slip, slip] }],
  });
});
