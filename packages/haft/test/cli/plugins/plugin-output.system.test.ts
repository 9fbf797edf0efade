import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { haft } from "../../support/haft.ts";

const PLUGIN = `import { definePlugin, defineTool, text, Type } from "@haft/plugin-sdk";
console.log("printed at load");
let tick;
const ticked = new Promise((resolve) => (tick = resolve));
const every = setInterval(() => tick(console.log("printed by a timer")), 1);
const greet = defineTool({
  name: "greet", description: "Greets.", parameters: Type.Object({}), effects: [],
  execute: async (_id, _params, _signal, onUpdate) => {
    console.log("printed by the call");
    await ticked;
    onUpdate?.({ content: [text("soon")], details: {} });
    return { content: [text("hello")], details: {} };
  },
});
export default definePlugin({
  id: "hello",
  tools: [greet],
  setup: () => console.log("printed by setup"),
  dispose: () => { clearInterval(every); console.log("printed by dispose"); },
});
`;

test("standard output has only the result, whatever a plugin prints", async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "plugin.mjs"), PLUGIN);
  const plugin = ["--plugin", "plugin.mjs"];
  const called = await haft(["tools", "call", "greet", "--json", ...plugin], { cwd });
  expect(JSON.parse(called.stdout)).toMatchObject({ kind: "ok", toolName: "greet" });
  for (const where of ["load", "a timer", "the call", "setup", "dispose"])
    expect(called.stderr).toContain(`printed ${where === "load" ? "at" : "by"} ${where}`);
  const followed = await haft(["tools", "call", "greet", "--follow", ...plugin], { cwd });
  const lines = followed.lines();
  expect(lines.map(({ kind }) => kind)).toEqual([lines[0].kind, "ok"]);
  for (const words of [["tools"], ["explain", "greet"], ["plugins", "list"], ["plugins", "why", "greet"]])
    JSON.parse((await haft([...words, "--json", ...plugin], { cwd })).stdout);
  expect((await haft(["tools", "call", "greet", ...plugin], { cwd })).stdout).toBe("hello\n");
});
