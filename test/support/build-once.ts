import type { TestProject } from "vitest/node";
import { pnpm } from "../../scripts/lib/workspace.ts";

/**
 * Before a run of all tests: the packages and the site are built, once, unless they just were (`HAFT_BUILT=1`). Programs
 * that tests start are those of the build then. A run of chosen files takes the sources, and does not wait for a build.
 */
export async function setup({ vitest }: TestProject): Promise<void> {
  const chosen = (vitest as { filenamePattern?: readonly string[] }).filenamePattern ?? [];
  if (process.env["HAFT_BUILT"] !== undefined || chosen.length > 0) return;
  await pnpm("exec", "turbo", "run", "build");
  process.env["HAFT_BUILT"] = "1";
}
