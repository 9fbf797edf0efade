import type { PolicyProblem } from "@haft/policy";

/** Returns the first warning of each rule, in the order of lines. */
export function dedupeByRule(warnings: readonly PolicyProblem[]): PolicyProblem[] {
  const byPath = new Map<string, PolicyProblem>();
  for (const warning of warnings) {
    const key = warning.path || warning.message;
    if (!byPath.has(key)) byPath.set(key, warning);
  }
  return [...byPath.values()].toSorted(({ line: a = 0 }, { line: b = 0 }) => a - b);
}
