import { RUNNER_FLAGS, runnerProgram } from "@haft/workspace/internal/wire";
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { Duplex, type Readable, type Writable } from "node:stream";
import type { SandboxBackend, SandboxConnection, SandboxSpec } from "../src/backend.ts";
import { abortedError } from "../src/errors.ts";
import { sandboxKey } from "../src/index.ts";

/** What a test may want of the program behind the last connection. */
export interface PipeBackend extends SandboxBackend {
  readonly opened: { pid: number; connection: SandboxConnection }[];
}

/** A runner beside the test, over a pipe: all of a sandbox but its walls. Mounts lie where the host has them. */
export function createPipeBackend(command: readonly string[] = [process.execPath]): PipeBackend {
  const opened: PipeBackend["opened"] = [];
  const endedPids = new Set<number>();
  const running = () => opened.filter(({ pid }) => !endedPids.has(pid));
  return {
    id: "pipe",
    opened,
    probe: async () => ({ backend: "pipe", available: true, details: {} }),
    list: async () => running().map(({ connection }) => connection.ref),
    async destroy(ref) {
      const one = running().find(({ connection }) => connection.ref.id === ref.id);
      if (one === undefined) return false;
      process.kill(one.pid, "SIGKILL");
      await one.connection.ended;
      return true;
    },
    async open(spec: SandboxSpec, signal?: AbortSignal) {
      const { path } = await runnerProgram();
      if (signal?.aborted === true) throw abortedError("pipe");
      const child = spawn(command[0]!, [...command.slice(1), ...RUNNER_FLAGS, path], {
        cwd: "/",
        env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin" },
        stdio: ["pipe", "pipe", "inherit"],
      });
      let closing = false;
      const ended = once(child, "exit").then(([code, by]) => {
        endedPids.add(child.pid!);
        if (closing) return { why: "it was closed" };
        return { why: by === null ? `it exited with code ${String(code)}` : `it was ended by ${String(by)}` };
      });
      const stream = streamTo(child);
      const connection: SandboxConnection = {
        stream,
        ref: {
          backend: "pipe",
          id: String(child.pid),
          key: sandboxKey(spec),
          scope: spec.scope,
          specHash: "",
          createdAt: Date.now(),
          state: "running",
          detached: false,
        },
        mounts: spec.mounts.map(({ name, path: at, access }) => ({ name, path: at, access })),
        facts: { mount: "rw", network: "full" },
        ended,
        close: async () => {
          closing ||= !endedPids.has(child.pid!);
          stream.destroy();
          await ended;
        },
      };
      opened.push({ pid: child.pid!, connection });
      return connection;
    },
  };
}

/** A specification without any limit, for a backend without any wall. */
export function pipeSpec(mounts: SandboxSpec["mounts"], env: Record<string, string> = {}): SandboxSpec {
  return {
    key: "test",
    scope: "session",
    workspace: "rw",
    mounts,
    env,
    network: "full",
    limits: { memoryMb: 1024, tasks: 512, cpus: 0, fileMb: 1024, tmpMb: 256 },
    lifetime: "tethered",
  };
}

/** What a program reads and writes, as one stream. */
function streamTo({ stdin, stdout }: ChildProcessByStdio<Writable, Readable, null>): Duplex {
  const stream = new Duplex({
    read: () => void stdout.resume(),
    write: (bytes: Buffer, _encoding, done) => void stdin.write(bytes, done),
    writev: (chunks, done) =>
      void stdin.write(Buffer.concat(chunks.map(({ chunk }) => chunk as Buffer)), done),
    final: (done) => void stdin.end(done),
    destroy: (error, done) => {
      stdin.destroy();
      stdout.destroy();
      done(error);
    },
  });
  stdin.on("error", () => stream.destroy());
  stdout.on("data", (bytes) => {
    if (!stream.push(bytes)) stdout.pause();
  });
  stdout.on("close", () => stream.push(null));
  return stream;
}
