import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** A daemon that was started to test with. */
export interface TestDaemon {
  socketPath: string;
  pid: number;
  stop(): Promise<void>;
}

const START_TRIES = 300;
const PATH = `${process.env["PATH"] ?? ""}${delimiter}/usr/sbin${delimiter}/sbin`;

/**
 * A Docker daemon on a socket and in a folder of its own, without a network: nothing of it touches one that runs
 * already. `undefined`, loudly, where there is no `dockerd` or no right to start it; an error where tests must run.
 *
 * @param by what starts it, and becomes it
 */
export async function startDockerd(by: readonly string[] = []): Promise<TestDaemon | undefined> {
  const why =
    process.getuid?.() !== 0
      ? "only root may start dockerd"
      : isThere("dockerd")
        ? undefined
        : "dockerd is not installed";
  if (why !== undefined) {
    if (process.env["HAFT_REQUIRE_SERVICES"] === "1") throw new Error(why);
    process.stderr.write(`LEFT OUT, because ${why}.\n`);
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), "haft-dockerd-"));
  const socketPath = join(folder, "docker.sock");
  // A run that is interrupted, or a process that is killed, leaves none behind.
  const withUs = isThere("setpriv") ? ["setpriv", "--pdeathsig", "TERM"] : [];
  const argv = [...by, ...withUs, "dockerd"];
  const daemon = spawn(
    argv[0]!,
    [
      ...argv.slice(1),
      `--host=unix://${socketPath}`,
      `--data-root=${join(folder, "data")}`,
      `--exec-root=${join(folder, "exec")}`,
      `--pidfile=${join(folder, "pid")}`,
      "--iptables=false",
      "--bridge=none",
    ],
    { stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, PATH }, detached: true },
  );
  let said = "";
  daemon.stderr.on("data", (bytes: Buffer) => (said = (said + bytes.toString()).slice(-4_000)));
  const ended = once(daemon, "exit");
  const stop = async (): Promise<void> => {
    // A test may have halted it, and then have failed.
    daemon.kill("SIGCONT");
    daemon.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  for (let tries = 0; tries < START_TRIES && daemon.exitCode === null; tries++) {
    if (await answers(socketPath)) return { socketPath, pid: daemon.pid!, stop };
    await sleep(100);
  }
  await stop();
  throw new Error(`dockerd did not come up: ${said}`);
}

function isThere(name: string): boolean {
  return PATH.split(delimiter).some((folder) => existsSync(join(folder, name)));
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
