import type { ChildProcess, ChildProcessWithoutNullStreams } from "node:child_process";
import { MAX_STDERR } from "../defaults.ts";
import { ExplainedStream } from "./explained-stream.ts";

export interface LaunchedProcess {
  pid: number;
  stream: ChildStream;
  stderr: () => string;
  exit: Promise<{ code: number | undefined; signal: string | undefined }>;
}

const LAST_WORDS_MS = 500;

export function toLaunchedProcess(child: ChildProcess): LaunchedProcess {
  const piped = child as ChildProcessWithoutNullStreams;
  let stderr = "";
  piped.stderr.on("data", (bytes: Buffer) => {
    stderr = (stderr + bytes.toString()).slice(-MAX_STDERR);
  });
  const stream = new ChildStream(piped);
  const exit = new Promise<Awaited<LaunchedProcess["exit"]>>((resolve) => {
    child.once("exit", (code, signal) => {
      const end = (): void => resolve({ code: code ?? undefined, signal: signal ?? undefined });
      // Processes inside may keep the pipes open.
      child.once("close", end);
      setTimeout(end, LAST_WORDS_MS).unref();
    });
    child.once("error", (error) => {
      stderr += error.message;
      resolve({ code: undefined, signal: undefined });
    });
  });
  return { pid: child.pid ?? 0, stream, stderr: () => stderr, exit };
}

export class ChildStream extends ExplainedStream {
  constructor({ stdin, stdout }: ChildProcessWithoutNullStreams) {
    super(stdin, stdout);
    stdout.on("data", (bytes: Buffer) => this.receive(bytes));
    stdout.once("end", () => this.receiveEnd());
    stdout.once("error", () => this.receiveEnd());
  }
}
