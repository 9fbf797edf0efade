import { readdirSync, statSync } from "node:fs";

/** Visible parts of `/proc`. The others are covered, because root outside could open root's files without any capability. */
const HARMLESS = new Set(
  `cgroups cmdline consoles cpuinfo crypto devices diskstats filesystems loadavg locks meminfo misc modules mounts
   net partitions self softirqs stat swaps sys thread-self tty uptime version vmstat`.split(/\s+/),
);

export function coverKernelFiles(): string[] {
  // Bubblewrap's own check asks for the folder, although its files look protected.
  const argv = ["--ro-bind", "/proc/sys", "/proc/sys"];
  // Process 1 is bubblewrap; commands must not read its memory.
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
