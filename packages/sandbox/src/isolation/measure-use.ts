import { attempt } from "@haft/workspace/internal/system";
import { readFileSync, statfsSync } from "node:fs";
import { join } from "node:path";
import type { SandboxUse } from "../backend.ts";

const KIB = 1024;
const TMPFS = 0x01_02_19_94;

export function useOfGroup(folders: readonly string[]): SandboxUse {
  const first = (names: readonly string[], read: (text: string) => number) => {
    for (const folder of folders)
      for (const name of names) {
        const value = read(attempt(() => readFileSync(join(folder, name), "latin1")) ?? "");
        if (Number.isFinite(value)) return value;
      }
    return undefined;
  };
  const plain = (text: string) => (text === "" ? Number.NaN : Number(text));
  const memoryBytes = first(["memory.current", "memory.usage_in_bytes"], plain);
  const tasks = first(["pids.current"], plain);
  return { ...(memoryBytes !== undefined && { memoryBytes }), ...(tasks !== undefined && { tasks }) };
}

export function useOfTmp(pid: number, tmpMb: number): SandboxUse {
  const found = attempt(() => statfsSync(`/proc/${pid}/root/tmp`));
  if (found === undefined || found.type !== TMPFS) return {};
  // Another size: that of the host, which others write to as well.
  if (Math.abs(found.blocks * found.bsize - tmpMb * KIB * KIB) > found.bsize) return {};
  return { tmpBytes: (found.blocks - found.bfree) * found.bsize };
}
