import { expect, test } from "vitest";
import { withoutNodeTypes } from "../scripts/lib/without-node-types.ts";

test("what is Node's may be missing", () => {
  const declarations = [
    'import type { Duplex } from "node:stream";',
    'import type { Tool } from "@haft/core";',
    "/** A `Buffer`. */",
    "export declare function open(): Duplex;",
    "",
  ];
  expect(withoutNodeTypes(declarations.join("\n")).split("\n")).toEqual([
    "// @ts-ignore -- any, without Node's types",
    ...declarations,
  ]);
});

test("its globals are imported, where they are named and not only spoken of", () => {
  expect(withoutNodeTypes("export declare function read(): Buffer;\n")).toBe(
    [
      "// @ts-ignore -- any, without Node's types",
      'import type { Buffer } from "node:buffer";',
      "export declare function read(): Buffer;\n",
    ].join("\n"),
  );
});
