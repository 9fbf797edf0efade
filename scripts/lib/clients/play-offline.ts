import { spawnSync } from "node:child_process";

/** Restarts this program with `--offline` in namespaces with only a loopback device, which end with all their processes. */
export function playOffline(): void {
  const asRoot = process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"];
  const alone = [...asRoot, "--net", "--pid", "--fork", "--kill-child", "--mount-proc"];
  const again = [...process.execArgv, ...process.argv.slice(1), "--offline"];
  const { status, error } = spawnSync("unshare", [...alone, process.execPath, ...again], {
    stdio: "inherit",
  });
  if (error !== undefined) console.error(`It needs unshare, of util-linux: ${error.message}`);
  process.exitCode = status ?? 1;
}

export function bringUpLoopback(): void {
  spawnSync("ip", ["link", "set", "lo", "up"], { stdio: "inherit" });
}
