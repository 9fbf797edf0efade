import type { TestProject } from "vitest/node";
import { pnpm } from "../../scripts/lib/workspace.ts";

/**
 * Builds the packages once before a run of all tests, unless they just were built (`HAFT_BUILT=1`). Programs that tests start
 * are those of the build then. A run of the fast tier, or of chosen files, takes the sources and does not wait for a build.
 */
export async function setup({ vitest }: TestProject): Promise<void> {
  const chosen = (vitest as { filenamePattern?: readonly string[] }).filenamePattern ?? [];
  const { HAFT_BUILT, HAFT_TIER } = process.env;
  if (HAFT_BUILT !== undefined || HAFT_TIER === "fast" || chosen.length > 0) return;
  await pnpm("exec", "turbo", "run", "build");
  process.env["HAFT_BUILT"] = "1";
}
