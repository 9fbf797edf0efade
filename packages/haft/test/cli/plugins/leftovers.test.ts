import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { haft, temporaryFolder } from "../../support/haft.ts";

test("what a plugin leaves running keeps no command from its end", async () => {
  const cwd = await temporaryFolder();
  const plugin = `import { definePlugin, defineTool, text, Type } from "@haft/plugin-sdk";
const tool = defineTool({ name: "hi", description: "Greets.", parameters: Type.Object({}), effects: [],
  execute: () => { setInterval(() => {}, 1000); throw new Error("no"); } });
export default definePlugin({ id: "p", tools: [tool] });`;
  await writeFile(join(cwd, "p.mjs"), plugin);
  const run = await haft(["call", "hi", "--plugin", "./p.mjs", "--json"], { cwd });
  expect(run.code).toBe(1);
  expect(run.lines()).toMatchObject([{ kind: "error", code: "TOOL_FAILED" }]);
  expect(run.stderr).toContain("haft: Timeout of a plugin would go on, and is ended.");
});
