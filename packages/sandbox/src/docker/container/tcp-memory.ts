import { attempt } from "@haft/system";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const GROUPS = "/sys/fs/cgroup/memory";
const LIMIT = "memory.kmem.tcp.limit_in_bytes";

interface MainProcess {
  id: string;
  pid: number;
}

/** Are control groups here of the kind that counts data in TCP sockets apart from all other memory? */
export const hasTcpMemoryController = (): boolean => existsSync(join(GROUPS, LIMIT));

/** Limits TCP socket data to the container's memory, which no runtime does. Only as root of the Engine's machine. */
export function limitTcpMemory(main: MainProcess, bytes: number): void {
  const file = limitFileOf(main);
  // Not created: what is not there cannot be limited.
  if (file !== undefined) attempt(() => writeFileSync(file, String(bytes), { flag: "r+" }));
}

/** Most bytes that may wait in TCP sockets; `undefined` where that is not known here. */
export function tcpMemoryLimit(main: MainProcess): number | undefined {
  const file = limitFileOf(main);
  return file === undefined ? undefined : attempt(() => Number(readFileSync(file, "utf8")));
}

function limitFileOf({ id, pid }: MainProcess): string | undefined {
  const groups = attempt(() => readFileSync(`/proc/${pid}/cgroup`, "utf8")) ?? "";
  const [, path] = /^\d+:(?:[^:\n]*,)?memory(?:,[^:\n]*)?:(.*)$/m.exec(groups) ?? [];
  // On another machine, or in another container, this is the number of another process.
  return path?.includes(id) === true ? join(GROUPS, path, LIMIT) : undefined;
}
