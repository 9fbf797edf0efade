import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createEditTool } from "../../src/edit/edit-tool.ts";
import { createLsTool } from "../../src/ls/ls-tool.ts";
import { createReadTool } from "../../src/read/read-tool.ts";
import { failure, texts } from "../support/tool-context.ts";
import { withFiles } from "../support/tree.ts";

it("a name with a tab in it is a name, and is shown as one", async () => {
  const { call, folder } = withFiles({ "a\tb.txt": "1\n" });
  expect(texts(await call(createLsTool(), {}))[0]).toBe(String.raw`"a\tb.txt"`);
  expect(texts(await call(createReadTool(), { path: "a\tb.txt" }))[0]).toBe("1\n");
  await call(createEditTool(), { path: "a\tb.txt", oldText: "1", newText: "2" });
  expect(readFileSync(join(folder, "a\tb.txt"), "utf8")).toBe("2\n");
  expect((await failure(call(createReadTool(), { path: "a\nb.txt" }))).code).toBe("INVALID_PATH");
});
