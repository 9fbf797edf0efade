import { expect, test } from "vitest";
import { createApplyPatchTool, createEditTool, createWriteTool } from "../src/index.ts";
import { temporaryWorkspace } from "./support/temporary-workspace.ts";

// In a process of its own (vitest.config.ts): here nothing of the tools has been loaded before.
test("runs the first calls of different tools on one file in call order", async () => {
  const { context, read } = await temporaryWorkspace({});
  const { signal } = new AbortController();
  const patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+three\n*** End Patch";
  const swap = { oldText: "one", newText: "two" };
  await Promise.all([
    createWriteTool().execute("1", { path: "a.txt", content: "one\n" }, signal, undefined, context),
    createEditTool().execute("2", { path: "a.txt", ...swap }, signal, undefined, context),
    createApplyPatchTool().execute("3", { input: patch }, signal, undefined, context),
  ]);
  expect(await read("a.txt")).toBe("three\n");
});
