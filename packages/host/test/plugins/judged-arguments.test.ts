import { contentToText } from "@haft/core";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openHostWith, readLoads, recordLoad, createPluginWorkspace } from "./support.ts";

/** A plugin whose parameters are a Standard Schema that makes a number of a text. */
const counting = (before: string) => `import { definePlugin, defineTool, text } from "@haft/plugin-sdk";
${before}
const parameters = {
  "~standard": {
    version: 1,
    vendor: "counting",
    validate: async ({ words }) =>
      words === "" ? { issues: [{ message: "there are none", path: ["words"] }] } : { value: { count: words.split(" ").length } },
    jsonSchema: { input: () => ({ type: "object", properties: { words: { type: "string" } }, required: ["words"] }) },
  },
};
export default definePlugin({
  id: "counting",
  tools: [defineTool({
    name: "count", description: "Counts.", parameters, effects: ["network"],
    execute: (_id, params) => ({ content: [text(JSON.stringify(params))], details: {} }),
  })],
});`;

test("a schema library checks the arguments of a plugin that is loaded only when needed", async () => {
  const at = await createPluginWorkspace({});
  const loads = join(at.folder, "loads");
  at.put("counting.js", counting(recordLoad(loads)));
  const { host } = await openHostWith(at, ["./counting.js"]);
  expect(host.plugins().at(-1)).toMatchObject({ state: "ready", tools: [{ name: "count", from: "static" }] });
  const session = await host.openSession();
  expect(session.tools().find(({ name }) => name === "count")?.parameters).toEqual({
    type: "object",
    properties: { words: { type: "string" } },
    required: ["words"],
  });
  // What the JSON Schema says is enough to refuse.
  expect(await session.call({ name: "count", arguments: { word: "a" } })).toMatchObject({
    code: "INVALID_ARGUMENTS",
  });
  expect(readLoads(loads)).toHaveLength(1);
  const outcome = await session.call({ name: "count", arguments: { words: "one two three" } });
  expect(contentToText(outcome.content)).toBe('{"count":3}');
  expect(session.ledger().at(-1)?.args).toEqual({ count: 3 });
  expect(readLoads(loads)).toEqual([expect.any(Number), process.pid]);
  const refused = await session.call({ name: "count", arguments: { words: "" } });
  expect(contentToText(refused.content)).toMatch(/words: there are none/);
});
