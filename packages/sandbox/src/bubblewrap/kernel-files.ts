import { readdirSync, statSync } from "node:fs";

/**
 * Parts of `/proc` that commands may see, besides processes. If root starts bubblewrap, commands may be root outside and could open files
 * of root without any capability. So all other parts are covered, for every user.
 */
const HARMLESS = new Set(
  `cgroups cmdline consoles cpuinfo crypto devices diskstats filesystems loadavg locks meminfo misc modules mounts
   net partitions self softirqs stat swaps sys thread-self tty uptime version vmstat`.split(/\s+/),
);

export function coverKernelFiles(): string[] {
  // `/proc/sys` must be mounted as a folder: its files look protected to bubblewrap's own check.
  const argv = ["--ro-bind", "/proc/sys", "/proc/sys"];
  // Process 1 is bubblewrap. Commands of the same user must not read its memory.
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
