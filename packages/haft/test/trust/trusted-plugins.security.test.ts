import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createConfiguredWorkspace } from "../../../../test/support/configured-workspace.ts";
import { haft, haftHere } from "../support/haft.ts";

// Plugins that a configuration of a workspace names are loaded once it is trusted, and only as they were then: not in a trial either.

const plugin = (
  id: string,
  more = "",
) => `import { definePlugin, defineTool, text, Type } from "@haft/plugin-sdk";
${more}
export default definePlugin({ id: "${id}", tools: [defineTool({
  name: "${id}_greet", description: "Greets.", parameters: Type.Object({}), effects: [],
  execute: async () => ({ content: [text("hello of ${id}")], details: {} }),
})] });
`;
const FILES = {
  "w/haft.config.yaml":
    "plugins: [./lib/own.ts, { use: haft-plugin-polite, config: { loud: true } }]\npolicy: { deny: [ls], ask: [polite_greet] }\n",
  "w/lib/own.ts": plugin("own", 'import "./beside.ts";'),
  "w/lib/beside.ts": "export const beside: boolean = true;\n",
  "w/node_modules/haft-plugin-polite/package.json":
    '{ "name": "haft-plugin-polite", "version": "1.0.0", "type": "module", "exports": "./index.js", "dependencies": { "inner": "1" } }',
  "w/node_modules/haft-plugin-polite/index.js": plugin("polite", 'import "inner";'),
  "w/node_modules/inner/package.json": '{ "name": "inner", "version": "1.0.0", "main": "main.js" }',
  "w/node_modules/inner/main.js": "module.exports = {};\n",
};

async function named() {
  const workspace = await createConfiguredWorkspace(FILES);
  const tools = async (start = haftHere) => {
    const run = await start(["tools", "--json"], workspace.at);
    return { names: run.lines()[0].tools.map(({ name }: { name: string }) => name), stderr: run.stderr };
  };
  const marker = join(workspace.above, "ran");
  const evil = `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(marker)}, "");\n`;
  return { ...workspace, tools, evil, ran: () => existsSync(marker) };
}

test("loads no plugin before trust, asks with a list of them, and has their tools afterwards", async () => {
  const { at, write, tools, evil, ran } = await named();
  await write("w/lib/own.ts", evil + plugin("own"));
  expect((await tools()).names).not.toContain("own_greet");
  await haftHere(["config", "trusted", "."], at);
  await haftHere(["plugins", "list"], at);
  expect(ran()).toBe(false);
  await write("w/lib/own.ts", FILES["w/lib/own.ts"]);
  const given = await haftHere(["config", "trust", "--yes"], at);
  expect(given).toMatchObject({ code: 0, stderr: "" });
  expect(given.stdout).toMatch(/plugins\[0\] +"\.\/lib\/own\.ts"/);
  expect(given.stdout).toMatch(/plugins\[1\] +\{"use":"haft-plugin-polite","config":\{"loud":true\}\}/);
  expect(given.stdout).toMatch(/haft-plugin-polite 1\.0\.0 /);
  expect((await tools()).names).toEqual(expect.arrayContaining(["own_greet", "polite_greet"]));
  const call = await haft(["tools", "call", "own_greet", "{}"], at);
  expect(call).toMatchObject({ code: 0, stdout: expect.stringContaining("hello of own") });
});

test.each([
  ["a plugin", "w/lib/own.ts"],
  ["what it loads", "w/lib/beside.ts"],
  ["a package", "w/node_modules/haft-plugin-polite/index.js"],
  ["a package of a package", "w/node_modules/inner/main.js"],
])("does not try %s after a change", async (_what, name) => {
  const { at, above, tools, evil, ran } = await named();
  expect(await haftHere(["config", "trust", "--yes"], at)).toMatchObject({ code: 0, stderr: "" });
  const ofCommonJs = `require("node:fs").writeFileSync(${JSON.stringify(join(above, "ran"))}, "");\n`;
  await writeFile(join(above, name), name.endsWith("main.js") ? ofCommonJs : evil);
  const { names, stderr } = await tools();
  expect(names).not.toContain("own_greet");
  expect(names).not.toContain("ls");
  expect(stderr).toMatch(/was trusted, and is not any more: .* changed/);
  expect(ran()).toBe(false);
});

test("refuses files that no text names in the trial as well; --also allows them", async () => {
  const { at, write, tools, evil, ran } = await named();
  await write("w/haft.config.yaml", "plugins: [./lib/own.ts]\n");
  await write("w/lib/own.ts", plugin("own", 'await import(["./hid", "den.ts"].join(""));'));
  await write("w/lib/hidden.ts", evil);
  await haftHere(["config", "trust", "--yes"], at);
  const { names, stderr } = await tools(haft);
  expect(names).not.toContain("own_greet");
  expect(stderr).toMatch(/loads what is not trusted: .*hidden\.ts is needed/);
  await haftHere(["plugins", "list"], at);
  expect(ran()).toBe(false);
  expect(await haftHere(["config", "trust", "--yes", "--also", "lib/hidden.ts"], at)).toMatchObject({
    code: 0,
    stderr: "",
  });
  expect((await tools()).names).toContain("own_greet");
  expect(ran()).toBe(true);
});

test("trusts the compiler of a plugin with it, and refuses an exchanged compiler", async () => {
  const { at, write, tools, evil, ran } = await named();
  await write("w/haft.config.yaml", "plugins: [./lib/own.ts]\n");
  await write("w/lib/own.ts", "enum Kind { One }\n");
  const tsx = "w/node_modules/tsx";
  await write(
    `${tsx}/package.json`,
    '{ "name": "tsx", "version": "4.0.0", "type": "module", "exports": { "./esm/api": "./api.js" } }',
  );
  const api = 'export const tsImport = () => import("./own.js");\n';
  await write(`${tsx}/api.js`, api);
  await write(`${tsx}/own.js`, plugin("own"));
  const given = await haftHere(["config", "trust", "--yes"], at);
  expect(given.stdout).toMatch(/tsx 4\.0\.0 /);
  expect((await tools()).names).toContain("own_greet");
  await write(`${tsx}/api.js`, evil + api);
  const { names, stderr } = await tools();
  expect(names).not.toContain("own_greet");
  expect(stderr).toMatch(/loads what is not trusted: .*the package tsx .* has changed since it was/);
  expect(ran()).toBe(false);
});
