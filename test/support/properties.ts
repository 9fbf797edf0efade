import { fc } from "@fast-check/vitest";

// Loaded before each test file. `HAFT_SEED` is the seed of all properties, to run again what failed.

const seed = process.env["HAFT_SEED"];
if (seed !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });
