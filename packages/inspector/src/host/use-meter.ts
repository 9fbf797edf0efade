import type { SandboxLimits, SandboxUsage } from "@haft/sandbox";
import { withoutUndefined } from "@haft/utils";
import { setTimeout as sleep } from "node:timers/promises";
import type { ResourceAmounts } from "../wire/api.ts";

const MIB = 1024 * 1024;
/** Milliseconds between processor samples. */
const SAMPLE_MS = 200;
/** Reading all processes is slow, so requests share it. */
const SHARED_MS = 1_000;

export class UseMeter {
  readonly #taken = new Map<string, { use: Promise<ResourceAmounts | undefined>; until: number }>();

  /** By limit, in its unit; never rejects. */
  measure(
    id: string,
    read: () => Promise<SandboxUsage> | SandboxUsage,
  ): Promise<ResourceAmounts | undefined> {
    const now = performance.now();
    for (const [known, { until }] of this.#taken) if (until <= now) this.#taken.delete(known);
    const taken = this.#taken.get(id) ?? { use: usedNow(read), until: now + SAMPLE_MS + SHARED_MS };
    this.#taken.set(id, taken);
    return taken.use;
  }
}

async function usedNow(
  given: () => Promise<SandboxUsage> | SandboxUsage,
): Promise<ResourceAmounts | undefined> {
  const sample = async () => {
    try {
      return { ...(await given()), at: performance.now() };
    } catch {
      return { at: performance.now() };
    }
  };
  const before: SandboxUsage & { at: number } = await sample();
  await sleep(SAMPLE_MS);
  const { memoryBytes, tasks, tmpBytes, cpuMs, at }: SandboxUsage & { at: number } = await sample();
  const spent = cpuMs === undefined || before.cpuMs === undefined ? undefined : cpuMs - before.cpuMs;
  // Ended processes reduce the sum.
  const cpus = spent === undefined || spent < 0 ? undefined : spent / (at - before.at);
  const used = withoutUndefined<Partial<Record<keyof SandboxLimits, string>>>({
    memoryMb: formatMib(memoryBytes),
    tasks: tasks?.toString(),
    cpus: cpus?.toFixed(1),
    tmpMb: formatMib(tmpBytes),
  });
  return Object.keys(used).length === 0 ? undefined : used;
}

export function formatMib(bytes: number | undefined): string | undefined {
  return bytes === undefined ? undefined : (bytes / MIB).toFixed(bytes < 10 * MIB ? 1 : 0);
}
