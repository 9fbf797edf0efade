import { attempt } from "@haft/system";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const GROUPS = "/sys/fs/cgroup/memory";
const LIMIT = "memory.kmem.tcp.limit_in_bytes";

interface MainProcess {
  id: string;
  pid: number;
}

/** True if control groups count TCP socket data separately (version 1). */
export const hasTcpMemoryController = (): boolean => existsSync(join(GROUPS, LIMIT));

/** Limits TCP socket data, which no runtime does. Needs root on the Engine's machine. */
export function limitTcpMemory(main: MainProcess, bytes: number): void {
  const file = limitFileOf(main);
  if (file !== undefined) attempt(() => writeFileSync(file, String(bytes), { flag: "r+" }));
}

export function tcpMemoryLimit(main: MainProcess): number | undefined {
  const file = limitFileOf(main);
  return file === undefined ? undefined : attempt(() => Number(readFileSync(file, "utf8")));
}

function limitFileOf({ id, pid }: MainProcess): string | undefined {
  const groups = attempt(() => readFileSync(`/proc/${pid}/cgroup`, "utf8")) ?? "";
  const [, path] = /^\d+:(?:[^:\n]*,)?memory(?:,[^:\n]*)?:(.*)$/m.exec(groups) ?? [];
  // Elsewhere, the pid means another process.
  return path?.includes(id) === true ? join(GROUPS, path, LIMIT) : undefined;
}
