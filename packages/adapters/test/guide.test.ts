import type { Plugin } from "@haft/core";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, test } from "vitest";
import { openSession } from "./support/open-session.ts";

// The modules of the guide, as they stand there.
const guide = readFileSync(join(import.meta.dirname, "../../../docs/guides/bridges.md"), "utf8");
// Beside the packages that they import.
const folder = mkdtempSync(join(import.meta.dirname, "guide-"));
afterAll(() => rmSync(folder, { recursive: true }));

const OF_A_PROJECT: Readonly<Record<string, string>> = {
  "./weather-tool.ts": "export const weatherTool = { id: 'get-weather', execute: async () => 'sunny' };\n",
  "./extensions/todo.ts":
    "export default (pi) => pi.registerTool({ name: 'todo', description: 'Todo.', parameters: { type: 'object' }, execute: async () => 'done' });\n",
  "openclaw-stock-quotes":
    "export default { id: 'quotes', register: (api) => api.registerTool({ name: 'quote', description: 'Quote.', parameters: { type: 'object' }, execute: async () => api.pluginConfig.currency }) };\n",
};

const samples = [...guide.matchAll(/```ts fragment\n(import [\s\S]*?export default [\s\S]*?)```/g)].map(
  ([, code]) => code!,
);

test("the guide has a module for each framework", () => expect(samples).toHaveLength(6));

test.each(samples.map((code) => [/@haft\/adapters\/([\w-]+)/.exec(code)![1]!, code]))(
  "the module for %s makes its tools",
  async (name, code) => {
    let text = code;
    for (const [specifier, module] of Object.entries(OF_A_PROJECT)) {
      if (!code.includes(`"${specifier}"`)) continue;
      writeFileSync(join(folder, `${name}-project.js`), module);
      text = code.replace(specifier, `./${name}-project.js`);
    }
    writeFileSync(join(folder, `${name}.ts`), text);
    const { default: plugin } = (await import(pathToFileURL(join(folder, `${name}.ts`)).href)) as {
      default: Plugin;
    };
    await using session = await openSession([plugin]);
    expect(session.diagnostics()).toEqual([]);
    expect(session.tools()).toHaveLength(1);
  },
);
