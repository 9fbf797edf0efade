import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createApplyPatchTool } from "../../src/apply-patch/apply-patch.ts";
import { createEditTool } from "../../src/edit/edit.ts";
import { createWriteTool } from "../../src/write/write.ts";
import { failure, texts } from "../support/tool-context.ts";
import { withFiles } from "../support/tree.ts";

const edit = createEditTool();
const patch = createApplyPatchTool();
const write = createWriteTool();

/** UTF-8 with one Latin-1 byte in the second line. */
const DAMAGED = Buffer.concat([
  Buffer.from("int a; // é\n// caf"),
  Buffer.from([0xe9]),
  Buffer.from("\nint b = 1;\n"),
]);
const GBK = Buffer.concat([
  Buffer.from('set x\n" '),
  Buffer.from([0xd6, 0xd0, 0xce, 0xc4]),
  Buffer.from("\nset y\n"),
]);

describe("text with bytes that are not UTF-8", () => {
  it.each([
    ["a Latin-1 byte", DAMAGED, "int b = 1", "int b = 2"],
    ["a Latin-1 byte and typographic text", DAMAGED, "int b =  1".replace("  ", " "), "int b = 3"],
    ["a line of GBK", GBK, "set y", "set z"],
  ])("keeps its bytes in an edit beside %s", async (_, bytes, oldText, newText) => {
    const { call, folder } = withFiles({ f: bytes });
    await call(edit, { path: "f", oldText, newText });
    const expected = Buffer.from(bytes.toString("latin1").replace(oldText, newText), "latin1");
    expect(readFileSync(join(folder, "f"))).toEqual(expected);
  });

  it("keeps its bytes in a patch with marks as context", async () => {
    const { call, folder } = withFiles({ f: DAMAGED });
    const input =
      "*** Begin Patch\n*** Update File: f\n@@\n // caf\ufffd\n-int b = 1;\n+int b = 2;\n*** End Patch";
    await call(patch, { input });
    const expected = Buffer.from(DAMAGED.toString("latin1").replace("b = 1", "b = 2"), "latin1");
    expect(readFileSync(join(folder, "f"))).toEqual(expected);
  });

  it.each([
    ["an edit", edit, { path: "f", oldText: "// caf\ufffd", newText: "// cafe" }, "oldText contains"],
    [
      "an edit of several",
      edit,
      {
        path: "f",
        edits: [
          { oldText: "int a", newText: "int c" },
          { oldText: "\ufffd\nint b", newText: "x" },
        ],
      },
      "oldText of edit 2",
    ],
    [
      "a patch",
      patch,
      { input: "*** Begin Patch\n*** Update File: f\n@@\n-// caf\ufffd\n+// cafe\n*** End Patch" },
      "A removed line of the hunk at patch line 3",
    ],
    ["a whole content", write, { path: "f", content: "// caf\ufffd\n" }, "content contains"],
  ])("is not changed by %s that touches such a byte", async (_, tool, params, message) => {
    const { call, folder } = withFiles({ f: DAMAGED });
    const error = await failure(call(tool as typeof edit, params as never));
    expect(error).toMatchObject({ code: "INVALID_TEXT", receipt: "none" });
    expect(error.message).toContain(message);
    expect(readFileSync(join(folder, "f"))).toEqual(DAMAGED);
  });

  it("allows U+FFFD that the file itself has", async () => {
    const { call, folder } = withFiles({ f: "a \ufffd b\n" });
    await call(edit, { path: "f", oldText: "a \ufffd", newText: "c" });
    expect(readFileSync(join(folder, "f"), "utf8")).toBe("c b\n");
  });

  it("reports the lost encoding if the whole content is replaced", async () => {
    const { call } = withFiles({ f: DAMAGED });
    const [text] = texts(await call(write, { path: "f", content: "new é\n" }));
    expect(text).toContain("The old file was in an unknown encoding; the new file is UTF-8.");
  });

  it("stays binary with zero bytes", async () => {
    const { call } = withFiles({ f: Buffer.from([0x63, 0xe9, 0, 0x0a]) });
    const error = await failure(call(edit, { path: "f", oldText: "c", newText: "d" }));
    expect(error.code).toBe("BINARY_FILE");
  });
});
