import { createRequire } from "node:module";
import { join } from "node:path";

/** The program of the official suite. */
export const SUITE = join(
  createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json"),
  "../dist/index.js",
);
