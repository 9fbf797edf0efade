import type { HookOutcome } from "./agent-settings.ts";

/** Agents with hook programs treat this as a denial. */
export function isReportedFailure({ code, stderr }: HookOutcome): boolean {
  return code === 2 && stderr.trim() !== "";
}

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
