import { expect, test } from "vitest";

// scripts/engines.ts: an engine could start another one for the tests, and nobody would see it.
test("tests run on the requested engine", () => {
  const { versions } = process;
  const engine = "deno" in versions ? "deno" : "bun" in versions ? "bun" : "node";
  expect(engine).toBe(process.env["HAFT_ENGINE"] ?? "node");
});
