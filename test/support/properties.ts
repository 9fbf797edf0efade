import { fc } from "@fast-check/vitest";
import { scaleRuns } from "./share.ts";

// Loaded before each test file: how often properties are tried that do not say so themselves. `HAFT_SEED` is the seed of all
// properties, to run again what failed.

const seed = process.env["HAFT_SEED"];
fc.configureGlobal({
  ...fc.readConfigureGlobal(),
  numRuns: scaleRuns(100, 4),
  ...(seed !== undefined && { seed: Number(seed) }),
});
