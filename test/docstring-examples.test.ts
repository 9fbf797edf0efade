import { expect, test } from "vitest";
import { publicDeclarations } from "../scripts/lib/examples/public-declarations.ts";
import { withComparisons } from "../scripts/lib/examples/with-comparisons.ts";
import { publicPackages } from "../scripts/lib/workspace.ts";

const IMPORT = 'import { deepStrictEqual as haftCompare } from "node:assert";\n';

test("an example compares the value of the statement in front of // =>", () => {
  expect(withComparisons('sum(1, 2); // => 3\nconst text = await read("ä"); // => "b"\n')).toBe(
    `haftCompare(sum(1, 2), 3);// => 3\nconst text = await read("ä"); haftCompare(text, "b");// => "b"\n${IMPORT}`,
  );
});

test("an example without // => stays as it is", () => {
  expect(withComparisons("sum(1, 2); // adds\n")).toBe("sum(1, 2); // adds\n");
});

test.each(["// => 3\n", "sum(1, 2);\nif (a) b(); // => 3\n", "function f() {\n  g(); // => 3\n}\n"])(
  "// => behind no value is an error: %j",
  (code) => {
    expect(() => withComparisons(code)).toThrow("// => 3");
  },
);

test("a declaration of another package is found behind a re-export, with its comments", () => {
  const sdk = publicPackages().find(({ name }) => name === "@haft/plugin-sdk")!;
  const found = publicDeclarations(sdk).filter(({ name }) => name === "defineTool");
  expect(found).toHaveLength(1);
  expect(found[0]).toMatchObject({ kind: "function", path: "packages/core/src/contract/tool.ts" });
  expect(found[0]!.comments[0]!.text).toContain("@example\n```ts run\n");
});
