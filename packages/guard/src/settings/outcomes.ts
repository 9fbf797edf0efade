import type { HookOutcome } from "./agent-settings.ts";

/** Exit code 2 with a text: what every agent with hook programs takes for a denial. */
export function isReportedFailure({ code, stderr }: HookOutcome): boolean {
  return code === 2 && stderr.trim() !== "";
}

/** Whether it ended well and said this, at a place of its JSON. */
export function hasOutputValue(outcome: HookOutcome, path: readonly string[], value: unknown): boolean {
  if (outcome.code !== 0) return false;
  try {
    let at = JSON.parse(outcome.stdout) as unknown;
    for (const key of path) at = (at as Record<string, unknown>)[key];
    return at === value;
  } catch {
    return false;
  }
}
