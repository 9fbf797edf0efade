import { attempt } from "@haft/workspace/internal/system";
import { lstatSync, readdirSync, readFileSync, statSync } from "node:fs";
import { nativePath } from "../../mounts/raw-path.ts";

/** The first process of a view, and the runner, which commands cannot get at. */
const OF_HAFT = 2;
const WRITES = 0o3;

/**
 * May a process of another PID namespace, such as a view, still write to this file, since it opened it for writing? A process that
 * cannot be looked into counts.
 */
export function isOpenInViews(path: string): boolean {
  const stats = attempt(() => lstatSync(nativePath(path), { bigint: true }));
  const own = namespacesOf("self").length;
  const all = attempt(() => readdirSync("/proc")) ?? [];
  return all.some((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    const numbers = namespacesOf(pid);
    if (numbers.length <= own || numbers.at(-1)! <= OF_HAFT) return false;
    return stats === undefined || mayWrite(pid, stats);
  });
}

/** Numbers of a process in each of its namespaces, the outermost first. */
function namespacesOf(pid: string): number[] {
  const status = attempt(() => readFileSync(`/proc/${pid}/status`, "latin1")) ?? "";
  return (/^NSpid:\s*(.*)$/m.exec(status)?.[1] ?? "").split(/\s+/).filter(Boolean).map(Number);
}

function mayWrite(pid: string, { dev, ino }: { dev: bigint; ino: bigint }): boolean {
  try {
    const maps = readFileSync(`/proc/${pid}/maps`, "latin1");
    if (new RegExp(String.raw`^\S+ .w.s \S+ \S+ ${ino} `, "m").test(maps)) return true;
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      const found = attempt(() => statSync(`/proc/${pid}/fd/${fd}`, { bigint: true }));
      if (found?.ino !== ino || found.dev !== dev) return false;
      const info = attempt(() => readFileSync(`/proc/${pid}/fdinfo/${fd}`, "latin1"));
      const flags = /^flags:\s*(\d+)$/m.exec(info ?? "")?.[1];
      return flags === undefined || (Number.parseInt(flags, 8) & WRITES) !== 0;
    });
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    return code !== "ENOENT" && code !== "ESRCH";
  }
}
