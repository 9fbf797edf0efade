import { expect, test } from "vitest";
import { surplusFiles } from "../scripts/lib/surplus-files.ts";

const files: Record<string, string> = {
  "package.json": "",
  "README.md": "",
  "dist/index.js": 'export * from "./chunk-AAAAAAAA.js";',
  "dist/chunk-AAAAAAAA.js": "",
  "dist/index.d.ts": "",
  "dist/index.d.ts.map": "",
};
const surplus = (more: Record<string, string> = {}, data: string[] = []) => {
  const all = { ...files, ...more };
  const sources = ["src/index.ts"];
  return surplusFiles(Object.keys(all), {
    data,
    sources,
    read: (path) => all[path as keyof typeof all] ?? "",
  });
};

test("accepts the files that a package consists of", () => {
  expect(surplus()).toEqual([]);
  expect(surplus({ "policy.schema.json": "" }, ["policy.schema.json"])).toEqual([]);
});

test.each([
  ["a file of another kind", "notes.txt"],
  ["data nobody asked for", "policy.schema.json"],
  ["sources", "src/index.ts"],
  ["tests", "dist/files/test/index.js"],
  ["the types of a source that is gone", "dist/old.d.ts"],
  ["their map", "dist/old.d.ts.map"],
  ["a chunk of an earlier build", "dist/chunk-BBBBBBBB.js"],
])("%s does not", (_, path) => {
  expect(surplus({ [path]: "" })).toEqual([path]);
});
