import { expect, it } from "vitest";
import { createFindTool } from "../../src/find/find.ts";
import { createGrepTool } from "../../src/grep/grep.ts";
import { createLsTool } from "../../src/ls/ls.ts";
import { bench, failure, texts } from "../support/tool-context.ts";
import { tree } from "../support/tree.ts";

const ready = () => {
  const all = bench();
  tree(all.folder, { "src/a.ts": "x\n", "src/b/c.ts": "x\n", "top.ts": "x\n" });
  return all;
};

it.each([
  ["the way up", createFindTool(), { pattern: "*", after: "../.." }],
  ["the same place spelled otherwise", createFindTool(), { pattern: "*", after: "./src/a.ts" }],
  ["an absolute path", createFindTool(), { pattern: "*", after: "/etc/hosts" }],
  ["a path elsewhere", createFindTool(), { pattern: "*", path: "src", after: "top.ts" }],
  ["the start itself", createFindTool(), { pattern: "*", path: "src", after: "src/" }],
  ["the way up", createGrepTool(), { pattern: "x", after: "../..:1" }],
  ["a line elsewhere", createGrepTool(), { pattern: "x", path: "src", after: "top.ts:1" }],
  ["a line of another file", createGrepTool(), { pattern: "x", path: "top.ts", after: "src/a.ts:1" }],
  ["the way up", createLsTool(), { after: "../.." }],
  ["the folder itself", createLsTool(), { after: "." }],
  ["a path", createLsTool(), { after: "src/a.ts" }],
] as const)("rejects %s as a path to continue after", async (_what, tool, params) => {
  const error = await failure(ready().call(tool, params));
  expect(error).toMatchObject({ code: "INVALID_ARGUMENTS", category: "input" });
  expect(error.message).toContain(`after=${JSON.stringify(params.after)} is no`);
});

it("accepts a path that does not exist any more", async () => {
  const { call } = ready();
  const shown = async (tool: Parameters<typeof call>[0], params: Record<string, unknown>) =>
    texts(await call(tool, params))[0];
  expect(await shown(createFindTool(), { pattern: "*", path: "src", after: "src/aa" })).toBe("src/b/c.ts");
  expect(await shown(createGrepTool(), { pattern: "x", path: "src", after: "src/aa:7" })).toContain("c.ts");
  // As ls shows a folder.
  expect(await shown(createLsTool(), { after: "src/" })).toBe("top.ts");
});
