import { describe, expect, test } from "vitest";
import { firstConflict, patch, patched, refused, wrap } from "../support/patch-bench.ts";
import { readTree } from "../support/read-tree.ts";
import { temporaryWorkspace } from "../support/temporary-workspace.ts";

describe("the summary for the model", () => {
  test("describes a conflict with location, cause and a corrected hunk", async () => {
    const error = await refused(
      { "src/a.ts": "function a() {\n  const total = 1;\n  return total;\n}\n", "src/b.ts": "x\ny\nx\n" },
      wrap(
        "*** Update File: src/a.ts",
        "@@",
        " function a() {",
        "-  const total = 2;",
        "+  const total = 3;",
        "   return total;",
        "*** Update File: src/b.ts",
        "@@",
        "-x",
        "+z",
        "*** Delete File: src/aa.ts",
      ),
    );
    expect(error.code).toBe("PATCH_CONFLICT");
    expect(error.message).toBe(
      `The patch does not match the files, so nothing was changed (3 conflicts).

1. src/a.ts, hunk 1 (patch line 3): these lines are not in the file:
function a() {
  const total = 2;
  return total;
Likely cause: the file differs from the text, or has changed.
Corrected hunk, if this location is intended:
@@
 function a() {
-  const total = 1;
+  const total = 3;
   return total;

2. src/b.ts, hunk 1 (patch line 9): it matches several locations: line 1, line 3. Add context lines, or an @@ line that distinguishes them:
x

3. src/aa.ts (patch line 12): the file does not exist; did you mean src/a.ts?`,
    );
    expect(JSON.stringify(error.details).length).toBeLessThan(4_000);
  });

  test("describes inexact matches", async () => {
    const { text, details } = await patched(
      { a: "one  \ntwo\n" },
      wrap("*** Update File: a", "-one", "+1", " two"),
    );
    expect(text).toBe(
      "Success. Updated the following files:\nM a\nNote: a, hunk 1 was found at line 1 ignoring white space at line ends.",
    );
    expect(details.files[0]?.hunks).toEqual([
      {
        index: 0,
        patchLine: 3,
        oldStart: 1,
        oldLines: 2,
        newStart: 1,
        newLines: 2,
        pass: "trailing-space",
        candidates: 1,
      },
    ]);
  });

  test("changes nothing if a patch is repeated after a lost reply", async () => {
    const space = await temporaryWorkspace({
      "a.txt": "old line\nb\n",
      "gone.txt": "x\n",
      "from.txt": "first\nlast\n",
    });
    const input = wrap(
      "*** Update File: a.txt",
      "-old line",
      "+new line",
      " b",
      "*** Add File: added.txt",
      "+text",
      "*** Delete File: gone.txt",
      "*** Update File: from.txt",
      "*** Move to: to.txt",
      "-first",
      "+changed",
      " last",
    );
    await patch(space, input);
    const after = await readTree(space.root);
    const again = await patch(space, input);
    expect(again.receipt).toBe("none");
    expect(again.details.changed).toBe(false);
    expect(again.text).toContain("No files were changed: the patch is already applied.");
    expect(await readTree(space.root)).toEqual(after);
  });

  test("does not accept the deletion of a missing file as a repetition", async () => {
    expect(await firstConflict({ a: "1" }, wrap("*** Delete File: b"))).toMatchObject({
      code: "FILE_NOT_FOUND",
    });
    const mixed = wrap("*** Add File: a", "+1", "*** Delete File: b", "*** Add File: c", "+new");
    expect(await firstConflict({ a: "1\n" }, mixed)).toMatchObject({ code: "FILE_NOT_FOUND", path: "b" });
  });
});
