import { describe, expect, it } from "vitest";
import { importedAtOnce } from "../scripts/lib/decides-only.ts";

const LATER = "src/hook/late-parts.ts";
const inside = (line: string) => `export async function run() {\n${line}\n  return 1;\n}\n`;

describe("what a program imports when it is needed", () => {
  it.each([
    ['  const { parse } = await import("unbash");', 'import { parse } from "unbash";'],
    ['    const { one, other } = await import("../a/b.ts");', 'import { one, other } from "../a/b.ts";'],
    // Another module whose name only ends so.
    [
      '  const { parts } = await import("./not-late-parts.ts");',
      'import { parts } from "./not-late-parts.ts";',
    ],
  ])("is imported at its start: %s", (line, wanted) => {
    expect(importedAtOnce(inside(line), LATER)).toBe(`${wanted}\n${inside("")}`);
  });

  it("is imported once, wherever it is needed", () => {
    const twice = inside('  const { parse } = await import("yaml");').repeat(2);
    expect(importedAtOnce(twice, LATER)).toBe(`import { parse } from "yaml";\n${inside("").repeat(2)}`);
  });

  it.each([
    '  const { lateParts } = await import("../../guard/hook/late-parts.ts");',
    '  const { DatabaseSync } = await import("node:sqlite");',
    '  const { parse: read } = await import("yaml");',
    '  const { parse = none } = await import("yaml");',
    '  const { default: manifest } = await import("../package.json", { with: { type: "json" } });',
    '  const yaml = await import("yaml");',
    "  const { parse } = await import(`yaml`);",
    '  // const { parse } = await import("yaml");',
    '   * const { parse } = await import("yaml");',
    "  const said = 'const { parse } = await import(\"yaml\");';",
    '  const { parse } = (await import("yaml")).default;',
    '  const { parse } = await import("yaml"), more = 1;',
    '  if (isYaml) return (await import("yaml")).parse;',
  ])("or is left as it is: %s", (line) => {
    expect(importedAtOnce(inside(line), LATER)).toBeUndefined();
  });
});
