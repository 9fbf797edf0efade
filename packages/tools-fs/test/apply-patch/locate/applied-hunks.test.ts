import { describe, expect, test } from "vitest";
import { patched, refused, wrap } from "../../support/patch-bench.ts";

const update = (...hunks: string[]): string => wrap("*** Update File: f", ...hunks);

describe("hunks that were already applied", () => {
  const CONNECT = `function connect() {
  timeoutMilliseconds = 5000;
  return go();
}
function retry() {
  timeoutMilliseconds = 2500;
  return go();
}
const last = 1;
`;
  const wrong = ["@@ function retry() {", "-  timeoutMilliseconds = 3000;", "+  timeoutMilliseconds = 5000;"];
  const good = ["@@", "-const last = 1;", "+const last = 2;"];

  test.each<[string, string[]]>([
    ["alone", wrong],
    ["beside a hunk that fits", [...wrong, ...good]],
    ["without an anchor", ["@@", ...wrong.slice(1)]],
    ["with context that stands elsewhere as well", ["@@", ...wrong.slice(1), "   return go();"]],
    ["with a brace as context", ["@@", ...wrong.slice(1), "   return go();", " }"]],
    ["the anchor being nowhere", ["@@ function again() {", ...wrong.slice(1)]],
    [
      "new lines that stand below what the anchor opens",
      ["@@ function connect() {", "-  timeoutMilliseconds = 3000;", "+  timeoutMilliseconds = 2500;"],
    ],
  ])("are judged at the anchor: %s", async (_, hunks) => {
    const error = await refused({ f: CONNECT }, update(...hunks));
    expect(error.code).toBe("PATCH_CONFLICT");
  });

  test("change nothing if all of them were applied at their anchors", async () => {
    const { text, tree } = await patched({ f: CONNECT.replace("2500", "5000") }, update(...wrong));
    expect(text).toContain("the patch is already applied");
    expect(tree["f"]).toBe(CONNECT.replace("2500", "5000"));
  });

  test("are rejected with a reason if the patch has other changes", async () => {
    const error = await refused({ f: CONNECT.replace("2500", "5000") }, update(...wrong, ...good));
    expect(error.message).toContain("f, hunk 1");
    expect(error.message).toContain("already present at line 6");
    expect(error.details.conflicts).toMatchObject([{ code: "ALREADY_APPLIED", cause: "already-applied" }]);
  });

  test("are rejected if a file already has the added content and the patch has other changes", async () => {
    const error = await refused(
      { f: CONNECT, g: "1\n" },
      wrap("*** Add File: g", "+1", "*** Update File: f", ...good),
    );
    expect(error.details.conflicts).toMatchObject([{ code: "ALREADY_APPLIED", path: "g" }]);
  });

  test("do not include earlier hunks of the same patch", async () => {
    const error = await refused(
      { f: CONNECT },
      update(
        "@@ function retry() {",
        "-  timeoutMilliseconds = 2500;",
        "+  timeoutMilliseconds = 5000;",
        "*** Update File: f",
        ...wrong,
      ),
    );
    expect(error.details.conflicts).toMatchObject([{ code: "ALREADY_APPLIED" }]);
  });
});
