import { expect, test } from "vitest";
import { newerSyntax } from "../scripts/lib/newer-syntax.ts";
import { quickStart } from "../scripts/lib/quick-start.ts";

test("what Node 22 does not read is found, wherever it stands", () => {
  expect(newerSyntax("await using a = await open();")).toEqual([
    "await using needs Node 24: close in finally",
  ]);
  expect(newerSyntax("function f() { using a = open(); }")).toEqual([
    "using needs Node 24: close in finally",
  ]);
  expect(newerSyntax("const using = 1; // await using a = b\n")).toEqual([]);
});

test("a quick start is the first program below its heading", () => {
  const block = (text: string, info = "ts") => `\`\`\`${info}\n${text}\n\`\`\`\n`;
  const readme = `# A\n${block("no")}\n## Quick start\n\n${block("npm i", "sh")}${block("yes")}${block("later")}`;
  expect(quickStart(readme)).toBe("yes\n");
  expect(quickStart("# A\n")).toBeUndefined();
});
