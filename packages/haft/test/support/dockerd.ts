import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** A daemon of a test file's own, on a private socket and without a network; `undefined`, loudly, where none can be. */
export async function startDockerd(): Promise<{ socketPath: string; stop(): Promise<void> } | undefined> {
  const env = { ...process.env, PATH: `${process.env["PATH"]}:/usr/sbin:/sbin` };
  if (process.getuid?.() !== 0 || spawnSync("dockerd", ["--version"], { env }).status !== 0) {
    const why = "there is no dockerd, or no right to start it";
    if (process.env["HAFT_REQUIRE_SERVICES"] === "1") throw new Error(why);
    process.stderr.write(`LEFT OUT: ${why}.\n`);
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), "haft-dockerd-"));
  const socketPath = join(folder, "docker.sock");
  const paths = ["--data-root", "--exec-root", "--pidfile"].flatMap((name) => [
    name,
    join(folder, name.slice(2)),
  ]);
  const args = ["--host", `unix://${socketPath}`, ...paths, "--iptables=false", "--bridge=none"];
  const daemon = spawn("dockerd", args, { stdio: "ignore", env });
  const ended = once(daemon, "exit");
  const stop = async () => {
    daemon.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  for (let tries = 0; tries < 200 && daemon.exitCode === null; tries++) {
    if (await answers(socketPath)) return { socketPath, stop };
    await sleep(100);
  }
  await stop();
  throw new Error("dockerd did not come up");
}

function answers(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({ socketPath, path: "/_ping" }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on("error", () => resolve(false));
  });
}
