import { spawnSync } from "node:child_process";

/** Runs this program once more, with `--offline`, in namespaces with nothing but a loopback device, which end with all that it started. */
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

/** In those namespaces: the loopback device. */
export function bringUpLoopback(): void {
  spawnSync("ip", ["link", "set", "lo", "up"], { stdio: "inherit" });
}
