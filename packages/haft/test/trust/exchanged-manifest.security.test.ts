import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createConfiguredWorkspace } from "../../../../test/support/configured-workspace.ts";
import { haft, haftHere } from "../support/haft.ts";

// Node reads package.json by itself and keeps what it read. The file may have held other text then than when Haft compared it.

const GREETER = `import { definePlugin, defineTool, text, Type } from "@haft/plugin-sdk";
const tool = (name) => defineTool({
  name, description: "Greets.", parameters: Type.Object({}), effects: [],
  execute: async () => ({ content: [text("hello")], details: {} }),
});
`;
const plugin = (more: string) =>
  `${more}\n${GREETER}export default definePlugin({ id: "polite", tools: [tool("greet")] });\n`;

const FOLDER = "w/node_modules/haft-plugin-polite";
const MANIFEST = {
  name: "haft-plugin-polite",
  version: "1.0.0",
  type: "module",
  exports: { ".": { import: "./index.js", default: "./other.js" }, "./parts/*": "./parts/*.js" },
  imports: { "#words": "./parts/words.js" },
  dependencies: { inner: "1" },
};

async function trusted(config: Record<string, string>) {
  const workspace = await createConfiguredWorkspace(config);
  const { above, write } = workspace;
  const marker = join(above, "ran");
  const mark = `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(marker)}, "");`;
  const require = `require("node:fs").writeFileSync(${JSON.stringify(marker)}, "");`;
  const files = {
    [`${FOLDER}/package.json`]: JSON.stringify(MANIFEST),
    [`${FOLDER}/index.js`]: plugin(
      'import "#words"; import "haft-plugin-polite/parts/one"; import "inner"; import "./parts/folder.cjs"; import "./parts/kind/kind.js";',
    ),
    [`${FOLDER}/other.js`]: plugin(mark),
    [`${FOLDER}/parts/words.js`]: "export {};\n",
    [`${FOLDER}/parts/one.js`]: "export {};\n",
    [`${FOLDER}/parts/evil.js`]: mark,
    [`${FOLDER}/parts/folder.cjs`]: 'require("./deep");\n',
    [`${FOLDER}/parts/deep/package.json`]: '{ "type": "commonjs", "main": "./main" }',
    [`${FOLDER}/parts/deep/main.js`]: "",
    [`${FOLDER}/parts/deep/index.js`]: require,
    [`${FOLDER}/parts/kind/package.json`]: '{ "type": "module" }',
    // Both kinds of module at once: only one of them can require.
    [`${FOLDER}/parts/kind/kind.js`]: `if (typeof require === "function") ${require}`,
    "w/node_modules/inner/package.json": '{ "name": "inner", "version": "1.0.0", "main": "main.js" }',
    "w/node_modules/inner/main.js": "",
    "w/node_modules/inner/index.js": require,
  };
  for (const [path, text] of Object.entries(files)) await write(path, text);
  const { at } = workspace;
  expect(await haftHere(["config", "trust", "--yes"], at)).toMatchObject({ code: 0, stderr: "" });
  expect(existsSync(marker)).toBe(false);
  /** Calls the tool in a process whose Node has read other text from a `package.json`, which is as it was again. */
  const callExchanged = async (path: string, other: object) => {
    const manifest = join(above, path);
    await write(
      "exchange.mjs",
      `import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
const path = ${JSON.stringify(manifest)};
const held = readFileSync(path);
writeFileSync(path, ${JSON.stringify(JSON.stringify(other))});
const require = createRequire(path);
for (const name of ["haft-plugin-polite", "inner", "haft-plugin-polite/parts/one", "#words", "./"])
  try { require.resolve(name); } catch {}
writeFileSync(path, held);
`,
    );
    const env = { ...at.env, NODE_OPTIONS: `--import=${join(above, "exchange.mjs")}` };
    return haft(["tools", "call", "greet", "{}"], { ...at, env });
  };
  const call = () => haft(["tools", "call", "greet", "{}"], at);
  return { ...workspace, call, callExchanged, ran: () => existsSync(marker) };
}

const NAMED = { "w/haft.config.yaml": "plugins: [haft-plugin-polite]\n" };
const CODE = {
  "w/haft.config.ts": 'import polite from "haft-plugin-polite";\nexport default { plugins: [polite] };\n',
};

const EXPORTS = { ...MANIFEST, exports: "./other.js" };
const PATTERN = { ...MANIFEST, exports: { ...MANIFEST.exports, "./parts/one": "./parts/evil.js" } };

test.each<[string, Record<string, string>, [string, string, object][]]>([
  ["a plugin that is named", NAMED, [["exports", FOLDER, EXPORTS]]],
  [
    "a module that a configuration imports",
    CODE,
    [
      ["exports", FOLDER, EXPORTS],
      ["main, where there were exports", FOLDER, { ...MANIFEST, exports: undefined, main: "other.js" }],
      ["a pattern of exports", FOLDER, PATTERN],
      ["imports", FOLDER, { ...MANIFEST, imports: { "#words": "./parts/evil.js" } }],
      ["main of a dependency", "w/node_modules/inner", { name: "inner", version: "1.0.0" }],
      ["the kind of modules", `${FOLDER}/parts/kind`, { type: "commonjs" }],
      ["main of a folder", `${FOLDER}/parts/deep`, { type: "commonjs" }],
    ],
  ],
])(
  "runs no other file if Node had read another package.json before: %s",
  async (_what, config, exchanges) => {
    const { callExchanged, call, ran } = await trusted(config);
    for (const [what, folder, other] of exchanges) {
      const { code } = await callExchanged(`${folder}/package.json`, other);
      expect({ what, ran: ran(), isRefused: code !== 0 }).toEqual({ what, ran: false, isRefused: true });
    }
    // It was the process that was wrong, and not the files.
    expect(await call()).toMatchObject({ code: 0, stdout: expect.stringContaining("hello") });
    expect(ran()).toBe(false);
  },
);
