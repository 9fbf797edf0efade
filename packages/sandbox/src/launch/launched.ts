import type { ChildProcess, ChildProcessWithoutNullStreams } from "node:child_process";
import { ChildStream } from "./child-stream.ts";

/** A launcher that was started, and how it went. */
export interface Launched {
  pid: number;
  stream: ChildStream;
  /** What it has said on its standard error, the end of it. */
  complaint: () => string;
  exit: Promise<{ code: number | undefined; signal: string | undefined }>;
}

const MAX_COMPLAINT = 4000;
const LAST_WORDS_MS = 500;

/** Follows a child whose standard streams are pipes. */
export function launched(child: ChildProcess): Launched {
  const piped = child as ChildProcessWithoutNullStreams;
  let complaint = "";
  piped.stderr.on("data", (bytes: Buffer) => {
    complaint = (complaint + bytes.toString()).slice(-MAX_COMPLAINT);
  });
  const stream = new ChildStream(piped);
  const exit = new Promise<Awaited<Launched["exit"]>>((resolve) => {
    child.once("exit", (code, signal) => {
      const end = (): void => resolve({ code: code ?? undefined, signal: signal ?? undefined });
      // Normally with its last words; but somebody inside may hold the pipes for longer.
      child.once("close", end);
      setTimeout(end, LAST_WORDS_MS).unref();
    });
    child.once("error", (error) => {
      complaint += error.message;
      resolve({ code: undefined, signal: undefined });
    });
  });
  return { pid: child.pid ?? 0, stream, complaint: () => complaint, exit };
}
