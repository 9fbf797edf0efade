import { createHostWorkspace } from "@haft/workspace";
import { expect, test } from "vitest";
import { createApplyPatchTool, createEditTool, createReadTool, createWriteTool } from "../src/index.ts";
import { temporaryWorkspace } from "./support/temporary-workspace.ts";

// One tool out of the package, with a workspace and nothing else: no session, no context.
test("runs every file tool without a session, with a workspace", async () => {
  const { root } = await temporaryWorkspace({});
  const workspace = createHostWorkspace({ root });
  const call = async (tool: { execute: (...args: never[]) => unknown }, params: object) =>
    (await Reflect.apply(tool.execute, tool, ["call", params, new AbortController().signal])) as {
      content: { text: string }[];
    };
  await call(createWriteTool({ workspace }), { path: "a.txt", content: "one\n" });
  await call(createEditTool({ workspace }), { path: "a.txt", oldText: "one", newText: "two" });
  const input = "*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+three\n*** End Patch";
  await call(createApplyPatchTool({ workspace }), { input });
  const { content } = await call(createReadTool({ workspace }), { path: "a.txt" });
  expect(content[0]?.text).toBe("three\n");
});
