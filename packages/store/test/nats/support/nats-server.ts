import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  accessSync,
  constants,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout } from "node:timers/promises";

/** Where nats-server is; `undefined` where it is not installed. */
export const NATS_SERVER = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin"]
  .map((folder) => join(folder, "nats-server"))
  .find((path) => isExecutable(path));

if (NATS_SERVER === undefined && process.env["HAFT_REQUIRE_SERVICES"])
  throw new Error(
    "These tests need nats-server, which is not installed (Debian: apt-get install nats-server).",
  );

/** A NATS server of a test: on a port of its own that stays the same, with what it keeps in a temporary folder. */
export interface TestServer {
  readonly port: number;
  readonly url: string;
  readonly pid: number;
  /** SIGKILL: what the server has not written is lost. */
  kill(): Promise<void>;
  /** On the same port, with what is in the folder. */
  start(): Promise<void>;
  /** SIGSTOP: answers nothing from when this is over. */
  stall(): Promise<void>;
  /** SIGCONT: what came meanwhile is done. */
  resume(): void;
  /** Ends it and removes its folder. */
  stop(): Promise<void>;
}

/**
 * @param more lines of configuration
 * @param jetstream what is between the braces of `jetstream`; `null`: none
 */
export async function startNats(
  more = "",
  jetstream: string | null = "max_file_store: 100GB",
): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), "haft-nats-"));
  let port = -1;
  let child: ChildProcess | undefined;
  const start = async () => {
    const storage =
      jetstream === null ? "" : `jetstream { store_dir: ${JSON.stringify(folder)}, ${jetstream} }`;
    const file = join(folder, "server.conf");
    writeFileSync(file, `host: 127.0.0.1\nport: ${port}\n${storage}\n${more}\n`);
    child = spawn(NATS_SERVER!, ["-c", file], { stdio: ["ignore", "ignore", "pipe"] });
    port = await portOf(child);
  };
  const kill = async () => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  await start();
  return {
    get port() {
      return port;
    },
    get url() {
      return `nats://127.0.0.1:${port}`;
    },
    get pid() {
      return child!.pid!;
    },
    kill,
    start,
    async stall() {
      child!.kill("SIGSTOP");
      await isStopped(child!.pid!);
    },
    resume: () => void child!.kill("SIGCONT"),
    async stop() {
      child!.kill("SIGCONT");
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** It is told in its log, before it takes connections. */
async function portOf(child: ChildProcess): Promise<number> {
  let log = "";
  let port: number | undefined;
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  child.stderr!.setEncoding("utf8").on("data", (text: string) => {
    log = (log + text).slice(-20_000);
    port ??=
      Number(/Listening for client connections on 127\.0\.0\.1:(\d+)/.exec(log)?.[1] ?? 0) || undefined;
    if (port !== undefined && log.includes("Server is ready")) resolve(port);
  });
  child.on("exit", () => reject(new Error(`nats-server ended: ${log}`)));
  child.on("error", reject);
  return await promise;
}

/** Until one of its threads has taken the signal, all go on: nearly half of the servers still answer a request. */
async function isStopped(pid: number): Promise<void> {
  const states = () =>
    process.platform === "linux"
      ? readdirSync(`/proc/${pid}/task`).map((id) => stateOf(`/proc/${pid}/task/${id}/stat`))
      : [execFileSync("ps", ["-o", "state=", "-p", `${pid}`], { encoding: "utf8" })[0]];
  while (!states().every((state) => state === "T")) await setTimeout(5);
}

/** What stands after the name, which may hold anything. */
function stateOf(stat: string): string | undefined {
  try {
    return readFileSync(stat, "utf8").split(") ").at(-1)?.[0];
  } catch {
    // The thread ended meanwhile.
    return "T";
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
