import { expect, test } from "vitest";
import { readSurface } from "../scripts/lib/api-report.ts";

const report = `
// @public
export class HaftError extends Error {
    // (undocumented)
    readonly code: string;
}

// Warning: (ae-forgotten-export) The symbol "Hidden" needs to be exported by the entry point index.d.ts
//
// @public (undocumented)
export function text(value: string): Hidden;
export function text(value: number): Hidden;

export { TSchema, Static as StaticOf }

// (No @packageDocumentation comment for this package)
`;

test("names what is exported, forgotten and undocumented", () => {
  const { exports, forgotten, undocumented } = readSurface(report);
  expect([...exports]).toEqual(["HaftError", "text", "TSchema", "StaticOf"]);
  expect(forgotten).toEqual(["Hidden"]);
  expect(undocumented).toEqual(["readonly code: string;", "export function text(value: string): Hidden;"]);
});
