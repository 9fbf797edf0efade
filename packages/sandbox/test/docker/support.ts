import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, onTestFinished } from "vitest";
import { conditions } from "../../../../test/support/build-under-test.ts";
import { startDockerd } from "../../../../test/support/dockerd.ts";
import type { SandboxBackend, SandboxSpec } from "../../src/backend.ts";
import { createDockerBackend, openSandbox, sandboxKey, type SandboxWorkspace } from "../../src/index.ts";
import { specFor } from "../spec-for.ts";
import { tempFolder } from "../support.ts";

/** A daemon for all tests of a file. */
export async function useDocker() {
  const daemon = await startDockerd();
  afterAll(() => daemon?.stop());
  const socketPath = daemon?.socketPath ?? "/nowhere/docker.sock";
  const backend = createDockerBackend({ socketPath });
  return {
    daemon,
    socketPath,
    backend,
    /** What is there is known by. */
    keys: async () => (await backend.list()).map(({ key }) => key),
    /** Is one there that was made for this key? */
    has: async (key: string) =>
      (await backend.list()).some((ref) => ref.key === sandboxKey({ scope: "session", key })),
    /** A sandbox that goes with the test, on a folder of its own. */
    open: (more: Partial<SandboxSpec> = {}, hostPath = folder()) =>
      openWithBackend(backend, specFor(hostPath, more)),
    /** Another host: a process that opens it, starts a script, says its id or why not, and waits to be killed. */
    startHost(spec: SandboxSpec, script = "true") {
      const program = fileURLToPath(new URL("open-and-wait.ts", import.meta.url));
      const args = [...conditions, program, socketPath, JSON.stringify(spec), script];
      const host = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
      const ended = once(host, "exit");
      const kill = async (): Promise<void> => {
        host.kill("SIGKILL");
        await ended;
      };
      onTestFinished(kill);
      return { said: once(host.stdout, "data").then(([bytes]) => String(bytes).trim()), kill };
    },
  };
}

/** One that goes with the test. */
export async function openWithBackend(backend: SandboxBackend, spec: SandboxSpec): Promise<SandboxWorkspace> {
  const workspace = await openSandbox(backend, spec);
  onTestFinished(async () => {
    await workspace.close();
    await backend.destroy(workspace.ref).catch(() => false);
  });
  return workspace;
}

/** What belongs to an ordinary user, on the host. */
export function folder(uid = 1000): string {
  return tempFolder("docker", process.getuid?.() === 0 ? uid : undefined);
}

/** Runs a script to its end. */
export async function run({ processes }: SandboxWorkspace, script: string, shell?: string) {
  const { id } = await processes.start(crypto.randomUUID(), {
    script,
    ...(shell === undefined ? {} : { shell }),
  });
  const info = await processes.wait(id);
  const { chunks } = await processes.read(id, 0);
  return { info, code: info.exitCode, text: Buffer.concat(chunks.map(({ bytes }) => bytes)).toString() };
}

/** A socket before the Engine's, for what an Engine is not. */
export async function startEngineProxy(
  socketPath: string,
  forward: (bytes: Buffer, engine: Socket) => unknown,
): Promise<string> {
  const path = join(folder(), "before.sock");
  const server = createServer((client) => {
    const engine = connect(socketPath);
    engine.on("error", () => client.destroy());
    client.on("error", () => engine.destroy());
    engine.pipe(client);
    client.on("data", (bytes: Buffer) => void forward(bytes, engine));
    client.on("end", () => engine.end());
  }).listen(path);
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return path;
}
