import type picomatch from "picomatch";

/** Loaded with the first pattern that is needed: it is the dearest part of opening a workspace. */
export function loadPicomatch(): typeof picomatch {
  const { createRequire } = process.getBuiltinModule("node:module");
  return createRequire(import.meta.url)("picomatch") as typeof picomatch;
}
