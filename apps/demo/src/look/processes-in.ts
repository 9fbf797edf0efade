import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";

/** A process, by pid and command line. */
export interface FoundProcess {
  pid: number;
  command: string;
}

/**
 * Processes that work in a folder, or have it in their command line, as `/proc` says: what Haft says of its own processes would
 * prove nothing. `undefined` where there is no `/proc`.
 */
export function processesIn(folder: string): FoundProcess[] | undefined {
  if (!existsSync("/proc/self/cwd")) return undefined;
  const pids = readdirSync("/proc").map(Number);
  return pids.filter((pid) => pid > 0 && pid !== process.pid).flatMap((pid) => look(pid, folder));
}

function look(pid: number, folder: string): FoundProcess[] {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
    const isThere = `${readlinkSync(`/proc/${pid}/cwd`)}/`.startsWith(`${folder}/`);
    return isThere || command.includes(folder) ? [{ pid, command }] : [];
  } catch {
    // It has ended meanwhile, or belongs to somebody else.
    return [];
  }
}
