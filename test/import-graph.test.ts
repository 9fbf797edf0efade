import { expect, test } from "vitest";
import { findCycles, resolveImport, readImports } from "../scripts/lib/import-graph.ts";

test.each([
  ['import { a } from "./a.ts";', false],
  ['import { type B, a } from "./a.ts";', false],
  ['import "./a.ts";', false],
  ['export * from "./a.ts";', false],
  ['export { a } from "./a.ts";', false],
  ['const load = () => import("./a.ts");', false],
  ['import type { A } from "./a.ts";', true],
  ['import { type A, type B } from "./a.ts";', true],
  ['export type { A } from "./a.ts";', true],
  ['type A = typeof import("./a.ts");', true],
])("%s", (source, isType) => {
  expect(readImports("b.ts", source)).toEqual([{ specifier: "./a.ts", isType }]);
});

test("text is not an import", () => {
  expect(readImports("b.ts", '// import "./a.ts";\nconst code = `import "./a.ts"`;')).toEqual([]);
});

test("relative imports lead to files, others to packages", () => {
  expect(resolveImport("packages/core/src/a/b.ts", "../c.ts")).toBe("packages/core/src/c.ts");
  expect(resolveImport("packages/core/src/a/b.ts", "@haft/core")).toBeUndefined();
});

test("cycles are found whole, and nothing else is", () => {
  const graph = {
    a: ["b"],
    b: ["c", "d"],
    c: ["a", "d"],
    d: ["e", "gone"],
    e: ["e"],
    f: ["g"],
    g: ["f", "a"],
  };
  expect(findCycles(new Map(Object.entries(graph)))).toEqual([
    ["a", "b", "c"],
    ["f", "g"],
  ]);
});
