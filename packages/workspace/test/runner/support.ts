import type { ChildProcessByStdio } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Duplex, duplexPair } from "node:stream";
import type { Readable, Writable } from "node:stream";
import { onTestFinished } from "vitest";
import type { RunnerConnection, RunnerSettings } from "../../src/runner/index.ts";
import { connectRunner, RUNNER_FLAGS, runnerProgram } from "../../src/runner/index.ts";

export interface LocalRunner extends RunnerConnection {
  pid: number;
  /** Resolves when the program has ended. */
  exited: Promise<unknown>;
}

/** A runner beside the test, over a pipe: what it would be in a sandbox, without one. */
export async function localRunner(
  root: string,
  settings: Partial<RunnerSettings> = {},
  env: Record<string, string> = {},
): Promise<LocalRunner> {
  const { path } = await runnerProgram();
  const child = spawn(process.execPath, [...RUNNER_FLAGS, path], {
    cwd: "/",
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const stream = streamTo(child);
  onTestFinished(async () => {
    child.stdin.destroy();
    await exited;
  });
  const mounts = [{ name: "", path: root, access: "rw" as const }];
  const connection = await connectRunner(stream, { mounts, ...settings });
  return { ...connection, pid: child.pid!, exited };
}

/** What the program reads and writes, as one stream. */
function streamTo({ stdin, stdout }: ChildProcessByStdio<Writable, Readable, null>): Duplex {
  const stream = new Duplex({
    read: () => void stdout.resume(),
    write: (bytes: Buffer, _encoding, done) => {
      if (stdin.write(bytes)) done();
      else stdin.once("drain", done);
    },
    final: (done) => void stdin.end(done),
    destroy: (error, done) => {
      stdin.destroy();
      stdout.destroy();
      done(error);
    },
  });
  stdin.on("error", () => stream.destroy());
  stdout.on("data", (bytes) => stream.push(bytes) || stdout.pause());
  stdout.on("close", () => stream.push(null));
  return stream;
}

/** A stream, and the other end of it for whoever plays the runner. */
export function streamPair(): [Duplex, Duplex] {
  return duplexPair();
}
