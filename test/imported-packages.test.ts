import { expect, test } from "vitest";
import { importedPackages } from "../scripts/lib/imported-packages.ts";

test("finds packages in every form of import, once, by their name", () => {
  const code = [
    'import { Type } from "@sinclair/typebox";',
    'export * from "@sinclair/typebox/value";',
    "import diff, {\n  type Change,\n} from 'diff';",
    'const glob = await import("picomatch/lib/parse");',
    'export declare function f(): import("ignore").Ignore;',
    'import "side-effect";',
  ];
  expect(importedPackages(code.join("\n")).toSorted()).toEqual([
    "@sinclair/typebox",
    "diff",
    "ignore",
    "picomatch",
    "side-effect",
  ]);
});

test("leaves files, Node's own modules and comments alone", () => {
  const code =
    'import { a } from "./a.js";\nimport { join } from "node:path";\n/** import { x } from "example"; */\nconst words = ["import",\n"a"];';
  expect(importedPackages(code)).toEqual([]);
});
