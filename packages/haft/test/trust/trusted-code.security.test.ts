import { existsSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createConfiguredWorkspace } from "../../../../test/support/configured-workspace.ts";
import { haft, haftHere, start } from "../support/haft.ts";

// Trust is of all that is loaded: what differs from it does not run, however deep or late it comes.

const line = (id: string, name: string, args: object) => `${JSON.stringify({ id, name, arguments: args })}\n`;
const GREET = line("1", "greet", {});
const FILES = {
  "w/package.json": '{ "type": "module", "imports": { "#words": "./lib/words.cjs" } }',
  "w/haft.config.ts": `import { defineConfig } from "haft";
import { greeter } from "./lib/greeter.ts";
import polite from "polite";
export default defineConfig({ plugins: [greeter], policy: { deny: ["exec"] }, model: { name: polite } });
`,
  "w/lib/greeter.ts": `import { definePlugin, defineTool, text, Type } from "@haft/plugin-sdk";
import words from "#words";
import names from "./names.json" with { type: "json" };
const execute = async () => {
  const { late } = await import("./late.ts");
  return { content: [text(words.hello + names[0] + late)], details: {} };
};
const tool = defineTool({ name: "greet", description: "Greets.", parameters: Type.Object({}), effects: [], execute });
export const greeter = definePlugin({ id: "greeter", tools: [tool] });
`,
  "w/lib/words.cjs": 'exports.hello = require("./deep")();\n',
  "w/lib/deep/index.js": 'module.exports = () => "hello ";\n',
  "w/lib/deep/package.json": '{ "type": "commonjs" }',
  "w/lib/names.json": '["you"]',
  "w/lib/late.ts": 'export const late: string = "!";\n',
  "w/node_modules/polite/package.json":
    '{ "name": "polite", "version": "1.0.0", "exports": "./index.js", "type": "module", "dependencies": { "inner": "1" } }',
  "w/node_modules/polite/index.js": 'export { default } from "inner";\n',
  "w/node_modules/inner/package.json": '{ "name": "inner", "version": "1.0.0", "main": "main.js" }',
  "w/node_modules/inner/main.js": 'module.exports = "acme/polite";\n',
  "w/package-lock.json": JSON.stringify({
    packages: { "node_modules/polite": { version: "1.0.0", integrity: "sha512-AAAA" } },
  }),
};
/** What runs when it is loaded. */
const EVIL = (folder: string) =>
  `require("node:fs").writeFileSync(${JSON.stringify(join(folder, "ran"))}, "");\n`;
const EVIL_MODULE = (folder: string) =>
  `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(join(folder, "ran"))}, "");\n`;

async function trusted() {
  const workspace = await createConfiguredWorkspace(FILES);
  const { at, above } = workspace;
  const given = await haftHere(["config", "trust", "--yes"], at);
  expect(given).toMatchObject({ code: 0, stderr: "" });
  const greet = () =>
    haft(["run", "--json"], { ...at, input: GREET + line("2", "exec", { command: "true" }) });
  return { ...workspace, given, greet, ran: () => existsSync(join(above, "ran")) };
}

test("covers, shows and runs all of the code", async () => {
  const { given, greet, at, cwd } = await trusted();
  for (const name of ["lib/words.cjs", "lib/deep/index.js", "lib/names.json", "lib/late.ts", "package.json"])
    expect(given.stdout).toContain(join(cwd, name));
  expect(given.stdout).toMatch(/polite 1\.0\.0 .*package-lock\.json/);
  expect(given.stdout).toMatch(/inner 1\.0\.0 .*because no lockfile lists it/);
  expect(given.stdout).toMatch(/plugins\[0\] +"greeter"/);
  const run = await greet();
  expect(run).toMatchObject({ code: 0, stderr: "" });
  expect(run.lines()[0].content).toEqual([{ type: "text", text: "hello you!" }]);
  expect(run.lines()[1]).toMatchObject({ kind: "blocked", code: "POLICY_DENIED" });
  const changed = [
    line("1", "write", { path: "lib/late.ts", content: "evil" }),
    line("2", "write", { path: "other.ts", content: "fine" }),
  ].join("");
  const kinds = (await haftHere(["run", "--json"], { ...at, input: changed }))
    .lines()
    .map(({ kind }) => kind);
  expect(kinds).toEqual(["error", "ok"]);
});

test("refuses changed code before it runs, and keeps its restrictions", async () => {
  const { above, at, write } = await createConfiguredWorkspace(FILES);
  // In another process, so that this one has loaded nothing of it.
  expect(await haft(["config", "trust", "--yes"], at)).toMatchObject({ code: 0, stderr: "" });
  const input = GREET + line("2", "exec", { command: "true" });
  const changes: [what: string, name: keyof typeof FILES, text: (place: string) => string][] = [
    ["the configuration", "w/haft.config.ts", EVIL_MODULE],
    ["a module of it", "w/lib/greeter.ts", EVIL_MODULE],
    ["what is required, by what is imported by a name of the project", "w/lib/words.cjs", EVIL],
    ["what that requires, a folder", "w/lib/deep/index.js", EVIL],
    ["JSON", "w/lib/names.json", () => '["nobody"]'],
    ["what would be imported late", "w/lib/late.ts", EVIL_MODULE],
    ["where names of the project lead", "w/package.json", () => '{ "imports": { "#words": "./evil.cjs" } }'],
    ["a package", "w/node_modules/polite/index.js", EVIL_MODULE],
    ["a package of a package", "w/node_modules/inner/main.js", EVIL],
    [
      "the version of a package",
      "w/node_modules/inner/package.json",
      () => '{ "name": "inner", "version": "2.0.0" }',
    ],
    [
      "the lockfile's word for it",
      "w/package-lock.json",
      () =>
        JSON.stringify({
          packages: { "node_modules/polite": { version: "1.0.0", integrity: "sha512-BBBB" } },
        }),
    ],
  ];
  for (const [what, name, text] of changes) {
    await write(name, text(above));
    const run = await haftHere(["run", "--json"], { ...at, input });
    expect({ what, answers: run.lines(), stderr: run.stderr }).toMatchObject({
      what,
      answers: [
        { kind: "error", code: "UNKNOWN_TOOL" },
        { kind: "blocked", code: "POLICY_DENIED" },
      ],
      stderr: expect.stringMatching(/was trusted, and is not any more: /),
    });
    expect({ what, ran: existsSync(join(above, "ran")) }).toEqual({ what, ran: false });
    expect((await haftHere(["config", "trusted"], at)).stdout).toMatch(/ended/);
    await write(name, FILES[name]);
  }
  // All of it is again what was trusted.
  const { lines } = await haft(["run", "--json"], { ...at, input });
  expect(lines()[0].content).toEqual([{ type: "text", text: "hello you!" }]);
});

test("refuses code that changes while it runs and loads late", async () => {
  const configured = await createConfiguredWorkspace({
    ...FILES,
    "w/lib/greeter.ts": FILES["w/lib/greeter.ts"]
      .replace(
        "const { late }",
        'if (wait++ === 0) return { content: [text("wait")], details: {} };\n  const { late }',
      )
      .replace("const execute", "let wait = 0;\nconst execute"),
  });
  const { above, at } = configured;
  expect(await haftHere(["config", "trust", "--yes"], at)).toMatchObject({ code: 0, stderr: "" });
  const { createInterface } = await import("node:readline");
  const child = start(["run", "--json"], at.cwd, at.env);
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  child.stdin.write(GREET);
  expect(JSON.parse((await answers.next()).value!)).toMatchObject({ kind: "ok" });
  await writeFile(join(above, "w/lib/late.ts"), EVIL_MODULE(above));
  child.stdin.end(line("2", "greet", {}));
  expect(JSON.parse((await answers.next()).value!)).toMatchObject({
    kind: "error",
    code: "CONFIG_UNTRUSTED",
  });
  expect(existsSync(join(above, "ran"))).toBe(false);
});

describe("a file that no text names", () => {
  const HIDDEN = {
    "w/haft.config.ts":
      'const name = "./li" + "b/hidden.cjs";\nexport default (await import(name)).default;\n',
    "w/lib/hidden.cjs": 'module.exports = { model: { name: "acme/hidden" } };\n',
  };

  test("is refused before it runs, unless --also names it", async () => {
    const { at, cwd } = await createConfiguredWorkspace(HIDDEN);
    // What a process could not load once, it does not load again.
    const refused = await haft(["config", "trust", "--yes"], at);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(
      /hidden\.cjs is needed, and was not trusted with it.*--also .*hidden\.cjs.*\[CONFIG_UNTRUSTED\]/s,
    );
    expect((await haftHere(["config", "trusted", "--json"], at)).lines()[0].trusted).toEqual([]);
    const also = join(cwd, "lib/hidden.cjs");
    expect(await haftHere(["config", "trust", "--yes", "--also", also], at)).toMatchObject({
      code: 0,
      stderr: "",
    });
    const { values } = (await haftHere(["config", "show", "--json"], at)).lines()[0];
    expect(values).toContainEqual(expect.objectContaining({ key: "model.name", value: "acme/hidden" }));
  });

  test.each([
    ["a text that is code", 'await import("data:text/javascript,globalThis.ran=1");\nexport default {};\n'],
    ["a file by way of a name of Haft", 'await import("@haft/../../../evil.mjs");\nexport default {};\n'],
    ["a file by its whole path", 'await import(process.env.HOME + "/evil.mjs");\nexport default {};\n'],
    [
      "a package that is not there when it is trusted",
      'await import("late" + "comer");\nexport default {};\n',
    ],
  ])("%s", async (_what, text) => {
    const { at, above, write } = await createConfiguredWorkspace({ "w/haft.config.ts": text });
    await write("evil.mjs", EVIL_MODULE(above));
    await write("w/node_modules/latecomer/package.json", '{ "name": "latecomer", "main": "x.js" }');
    await write("w/node_modules/latecomer/x.js", EVIL(above));
    const refused = await haftHere(["config", "trust", "--yes"], { ...at, env: { ...at.env, HOME: above } });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("[CONFIG_UNTRUSTED]") });
    expect(existsSync(join(above, "ran"))).toBe(false);
  });
});

test("reports broken code and trusts nothing; runs nothing before a yes", async () => {
  const { at, above } = await createConfiguredWorkspace({
    "w/haft.config.js": 'throw new Error("no luck")\n',
  });
  const given = await haftHere(["config", "trust", "--yes"], at);
  expect(given).toMatchObject({ code: 1, stderr: expect.stringMatching(/no luck.*\[CONFIG_INVALID\]/s) });
  expect(existsSync(join(above, "state/trust"))).toBe(false);
  await writeFile(join(above, "w/haft.config.js"), `${EVIL_MODULE(above)}export default {};\n`);
  const shown = await haftHere(["config", "trusted", "."], at);
  expect(shown).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("is code: it runs in the process of Haft"),
  });
  await haftHere(["tools"], at);
  expect(existsSync(join(above, "ran"))).toBe(false);
  expect(await readFile(join(above, "w/haft.config.js"), "utf8")).toContain("ran");
  await rm(join(above, "w/haft.config.js"));
});
