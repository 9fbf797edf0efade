import { inspectPrograms, type ProgramWarning, programWarnings } from "@haft/history/replay";
import type { ReplacementRules } from "@haft/host/internal/host";
import type { CommandSample } from "@haft/policy";

/** Edits change more often than programs. */
const CACHE_MS = 30_000;
const MAX = 2_000;

interface Known {
  at: number;
  warning: ProgramWarning | undefined;
}

const known = new Map<string, Known>();

export function programLint({ config, positions }: ReplacementRules) {
  return programWarnings(config, positions, async (samples) => {
    const since = performance.now() - CACHE_MS;
    const missing = samples.filter((sample) => (known.get(keyOf(sample))?.at ?? -Infinity) <= since);
    const found = await inspectPrograms(missing);
    const at = performance.now();
    for (const [index, sample] of missing.entries()) known.set(keyOf(sample), { at, warning: found[index] });
    const warnings = samples.map((sample) => known.get(keyOf(sample))?.warning);
    if (known.size > MAX) known.clear();
    return warnings;
  });
}

function keyOf({ pattern, opens }: CommandSample): string {
  return JSON.stringify([pattern, opens]);
}
