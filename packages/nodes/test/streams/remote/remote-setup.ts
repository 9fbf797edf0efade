import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { startNats, type TestServer } from "../../../../store/test/nats/support/nats-server.ts";
import { createIdentity } from "../../../src/index.ts";

/** A server, a node and a host, each in a process of its own. */
export interface RemoteSetup {
  readonly server: TestServer;
  readonly node: ChildProcess;
  readonly folder: string;
  /** Starts a host that runs a script on the node, until it runs. */
  host(script: string, spoolBytes?: number, checkMs?: number): Promise<RemoteHost>;
  close(): Promise<void>;
}

/** A host, and what it has of the output of its script. */
export interface RemoteHost {
  readonly process: ChildProcess;
  /** Resolves once it has so many bytes. */
  has(bytes: number): Promise<void>;
  readonly end: Promise<{ bytes: number; dropped: number; sha256: string; mostMb: number }>;
}

/** @param checkMs of the node, at hosts */
export async function startRemoteSetup(checkMs = 5_000): Promise<RemoteSetup> {
  const folder = mkdtempSync(join(tmpdir(), "haft-far-"));
  const server = await startNats("", null);
  const [nodeIdentity, desk] = [createIdentity(), createIdentity()];
  const children: ChildProcess[] = [];
  const start = (program: string, ...words: string[]) => {
    const path = join(import.meta.dirname, program);
    const child = spawn(process.execPath, ["--conditions=@haft/source", "--no-warnings", path, ...words], {
      env: { ...process.env, TMPDIR: folder },
      stdio: ["ignore", "pipe", "inherit"],
    });
    children.push(child);
    return child;
  };
  const node = start("workspace-program.ts", server.url, nodeIdentity.seed, desk.id, folder, String(checkMs));
  await once(node.stdout, "data");
  return {
    server,
    node,
    folder,
    async host(script, spoolBytes = 64 * 1024 * 1024, intervalMs = 2_000) {
      const words = [desk.seed, nodeIdentity.id, script, String(spoolBytes), String(intervalMs)];
      const child = start("host-program.ts", server.url, ...words);
      return await following(child);
    },
    async close() {
      for (const child of children) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        child.kill("SIGKILL");
        await once(child, "exit");
      }
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function following(child: ChildProcess): Promise<RemoteHost> {
  let text = "";
  let bytes = 0;
  let waiting: (() => void) | undefined;
  const started = Promise.withResolvers<void>();
  const end = Promise.withResolvers<Awaited<RemoteHost["end"]>>();
  end.promise.catch(() => undefined);
  child.stdout!.setEncoding("utf8").on("data", (part: string) => {
    text += part;
    const lines = text.split("\n");
    text = lines.pop()!;
    for (const line of lines) {
      if (line === "started") started.resolve();
      else if (line.startsWith("{")) end.resolve(JSON.parse(line) as Awaited<RemoteHost["end"]>);
      else bytes = Number(line);
    }
    waiting?.();
  });
  child.once("exit", (code, signal) => {
    const error = new Error(`the host ended with ${code ?? signal}`);
    started.reject(error);
    end.reject(error);
  });
  await started.promise;
  return {
    process: child,
    end: end.promise,
    async has(wanted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const measure = () => {
        if (bytes >= wanted) resolve();
      };
      waiting = measure;
      measure();
      await Promise.race([promise, end.promise]);
    },
  };
}

/** So many bytes of which none is like another place of theirs. */
export function countingScript(bytes: number): string {
  return `seq 1 1000000000 | head -c ${bytes}`;
}

/** What {@link countingScript} writes, in short. */
export function hashCountingOutput(bytes: number): string {
  const hashed = execFileSync("sh", ["-c", `${countingScript(bytes)} | sha256sum`], { encoding: "utf8" });
  return hashed.slice(0, 64);
}

/** One host reads so much that its script writes, and is stopped for a while in the middle. */
export async function streamOutput(bytes: number, stopMs: number) {
  const far = await startRemoteSetup();
  try {
    const host = await far.host(countingScript(bytes), 2 * 1024 ** 3);
    const began = performance.now();
    await host.has(bytes / 4);
    host.process.kill("SIGSTOP");
    await setTimeout(stopMs);
    host.process.kill("SIGCONT");
    const end = await host.end;
    const seconds = (performance.now() - began - stopMs) / 1_000;
    return { ...end, seconds, isWhole: end.sha256 === hashCountingOutput(bytes) };
  } finally {
    await far.close();
  }
}
