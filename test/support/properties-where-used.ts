import { readFileSync } from "node:fs";
import { expect } from "vitest";

// For files with a process of their own: few have properties, and fast-check is not loaded for the others.
const { testPath } = expect.getState();
if (testPath !== undefined && readFileSync(testPath, "utf8").includes("@fast-check/vitest"))
  await import("./properties.ts");
