import { readdirSync, statSync } from "node:fs";

/**
 * What of `/proc` commands may see, besides processes. Most of the rest is only for root anyway, but bubblewrap that
 * was started by root may run commands whose user is root outside: they would open what root owns, which takes no
 * capability. So everything that is not known to be harmless is covered, for everybody.
 */
const HARMLESS = new Set(
  `cgroups cmdline consoles cpuinfo crypto devices diskstats filesystems loadavg locks meminfo misc modules mounts
   net partitions self softirqs stat swaps sys thread-self tty uptime version vmstat`.split(/\s+/),
);

export function coverKernelFiles(): string[] {
  // Its files look protected to bubblewrap's own check, which asks for the folder.
  const argv = ["--ro-bind", "/proc/sys", "/proc/sys"];
  // The first process is bubblewrap's own. Its memory must not be open to commands of the same user.
  argv.push(...emptyFolder("/proc/1"));
  for (const name of readdirSync("/proc")) {
    if (/^\d+$/.test(name) || HARMLESS.has(name)) continue;
    const path = `/proc/${name}`;
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) continue;
    if (stats.isDirectory()) argv.push(...emptyFolder(path));
    else argv.push("--ro-bind", "/dev/null", path);
  }
  return argv;
}

function emptyFolder(path: string): string[] {
  return ["--size", "4096", "--tmpfs", path, "--remount-ro", path];
}
