import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Engine } from "../../src/docker/engine.ts";

/** A daemon to test with. */
export interface TestDaemon {
  socketPath: string;
  /** Exact; only of a daemon that was started here. */
  pid: number | undefined;
  stop(): Promise<void>;
}

const START_TRIES = 150;

/**
 * A daemon of the tests' own, on a socket and in a folder of their own, without a network: nothing of it touches one
 * that runs already. `undefined`, loudly, where there is no `dockerd` or no right to start it.
 */
export async function startTestDaemon(): Promise<TestDaemon | undefined> {
  const program = (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, "dockerd"));
  const why = process.getuid?.() !== 0 ? "only root may start dockerd" : "dockerd is not installed";
  if (process.getuid?.() !== 0 || ![...program, "/usr/sbin/dockerd"].some((path) => existsSync(path))) {
    if (process.env["HAFT_REQUIRE_SERVICES"] === "1") throw new Error(why);
    process.stderr.write(`LEFT OUT, because ${why}.\n`);
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), "haft-dockerd-"));
  const socketPath = join(folder, "docker.sock");
  const child = spawn(
    "dockerd",
    [
      `--host=unix://${socketPath}`,
      `--data-root=${join(folder, "data")}`,
      `--exec-root=${join(folder, "exec")}`,
      `--pidfile=${join(folder, "pid")}`,
      "--iptables=false",
      "--bridge=none",
    ],
    {
      stdio: ["ignore", "ignore", "pipe"],
      detached: true,
      env: { ...process.env, PATH: `${process.env["PATH"]}:/usr/sbin:/sbin` },
    },
  );
  let said = "";
  child.stderr.on("data", (bytes: Buffer) => (said = (said + bytes.toString()).slice(-4_000)));
  const ended = once(child, "exit");
  const stop = async () => {
    // A test may have stopped it, and then have failed.
    child.kill("SIGCONT");
    child.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  for (let tries = 0; tries < START_TRIES && child.exitCode === null; tries++) {
    try {
      await new Engine(socketPath).version();
      return { socketPath, pid: child.pid, stop };
    } catch {
      await sleep(100);
    }
  }
  await stop();
  throw new Error(`dockerd did not come up: ${said}`);
}
