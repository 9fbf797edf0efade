import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { haft } from "../../support/haft.ts";

/** Calls a tool that does this. */
async function call(work: string, env: Record<string, string> = {}) {
  const cwd = await temporaryFolder();
  const plugin = `import { definePlugin, defineTool, text, Type } from "@haft/plugin-sdk";
const tool = defineTool({ name: "hi", description: "Greets.", parameters: Type.Object({}), effects: [],
  execute: () => { ${work} } });
export default definePlugin({ id: "p", tools: [tool] });`;
  await writeFile(join(cwd, "p.mjs"), plugin);
  return haft(["tools", "call", "hi", "--plugin", "./p.mjs", "--json"], { cwd, env });
}

test("ends a command although a plugin leaves resources open", async () => {
  const run = await call('setInterval(() => {}, 1000); throw new Error("no");');
  expect(run.code).toBe(1);
  expect(run.lines()).toMatchObject([{ kind: "error", code: "TOOL_FAILED" }]);
  expect(run.stderr).toContain("haft: A timer kept the process alive and was ended.");
});

test("reports a rejected promise of a plugin and continues", async () => {
  const run = await call(
    'Promise.reject(new Error("too late")); return { content: [text("done")], details: {} };',
  );
  expect(run.code).toBe(0);
  expect(run.lines()).toMatchObject([{ kind: "ok", content: [{ text: "done" }] }]);
  expect(run.stderr).toMatch(/\S*p\.mjs left a rejected promise unhandled: too late\./);
});

test("ends the process after a rejected promise of other code, unless a flag of Node says otherwise", async () => {
  const work =
    'globalThis.runs = true; return new Promise((done) => setTimeout(done, 500, { content: [text("done")], details: {} }));';
  // While the plugin runs, and not of it. No quotes: NODE_OPTIONS takes them away.
  const failing = `setInterval(()=>{if(globalThis.runs){globalThis.runs=false;Promise.reject(Error(/not-its/))}},5).unref()`;
  const also = `--import=data:text/javascript,${failing}`;
  const ended = await call(work, { NODE_OPTIONS: also });
  expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining("Error: /not-its/") });
  const warned = await call(work, { NODE_OPTIONS: `${also} --unhandled-rejections=warn` });
  expect(warned.stderr).toContain("Error: /not-its/");
  expect(warned.lines()).toMatchObject([{ kind: "ok" }]);
});
