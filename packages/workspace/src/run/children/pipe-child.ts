import { runnerErrno, RunnerError, MARKER_FD } from "@haft/system/processes";
import { type ChildProcess, spawn, type StdioOptions } from "node:child_process";
import { closeSync, statSync } from "node:fs";
import { Socket } from "node:net";
import { pinExpectedFiles } from "../identify/pinned-files.ts";
import { SCRIPT_FD } from "../shell-program.ts";
import type { AnonymousPipes } from "./anonymous-pipes.ts";
import type { Child, ChildListener, Launch } from "./child.ts";
import type { FifoPipes, PipeEnds } from "./fifo-pipes.ts";

export interface Pipes {
  input: AnonymousPipes;
  output: FifoPipes;
}

const READ_BUFFER = Buffer.alloc(64 * 1024);
/** Limits one pipe per turn of the event loop. Node would read up to 32 times as much. */
const TURN_BYTES = 64 * 1024;
const MAX_ARGUMENT_BYTES = 128 * 1024 - 1;

/** Starts a new session and group. `control` opens a socket for the script: {@link "./shell-pool.ts"}. */
export async function startOnPipes(
  launch: Launch,
  pipes: Pipes,
  listener: ChildListener,
  control = false,
): Promise<Child & { process: ChildProcess }> {
  const input = launch.input ? await pipes.input.take() : undefined;
  const output = await pipes.output.pair();
  const childEnds = [input?.reader, output?.[0].theirs, output?.[1].theirs];
  const stdio: StdioOptions = [
    input?.reader ?? (launch.input ? "pipe" : "ignore"),
    output?.[0].theirs ?? "pipe",
    output?.[1].theirs ?? "pipe",
  ];
  while (stdio.length < MARKER_FD) stdio.push("ignore");
  if (launch.script !== undefined) stdio[SCRIPT_FD] = launch.script.fd;
  if (control) stdio[SCRIPT_FD] = "pipe";
  stdio.push(launch.marker);
  let child: ChildProcess;
  try {
    child = await spawned(launch, stdio);
  } catch (thrown) {
    for (const { ours } of output ?? []) closeSync(ours);
    if (input !== undefined) closeSync(input.writer);
    throw spawnFailure(thrown, launch);
  } finally {
    for (const fd of childEnds) if (fd !== undefined) closeSync(fd);
  }
  let open = 2;
  const onClose = (ends: PipeEnds | undefined): void => {
    if (ends !== undefined) pipes.output.giveBack(ends);
    if (--open === 0) listener.outputEnded();
  };
  (["stdout", "stderr"] as const).forEach((stream, index) => {
    const ends = output?.[index];
    const onBytes = (bytes: Uint8Array): void => listener.output(stream, bytes);
    const socket = ends === undefined ? child[stream]!.on("data", onBytes) : readFrom(ends.ours, onBytes);
    socket.on("error", () => {});
    socket.once("close", () => onClose(ends));
  });
  const stdin =
    input === undefined ? child.stdin : new Socket({ fd: input.writer, readable: false, writable: true });
  // The writer receives the error.
  stdin?.on("error", () => {});
  child.once("exit", (code, signal) => {
    stdin?.destroy();
    listener.exit(code ?? undefined, signal ?? undefined);
  });
  return {
    process: child,
    pid: child.pid!,
    get queued() {
      return stdin?.writableLength ?? 0;
    },
    write: (bytes, done) => void stdin?.write(bytes, (failed) => done(failed ?? undefined)),
    closeInput: () => void stdin?.end(),
    resize: () => {},
  };
}

/** Settles before any effect of the child is visible. */
async function spawned(launch: Launch, stdio: StdioOptions): Promise<ChildProcess> {
  const { argv, env } = launch;
  const held = pinExpectedFiles(launch);
  let child: ChildProcess;
  try {
    const options = { argv0: argv[0]!, cwd: held.cwd, env, stdio, detached: true };
    launch.fence?.check();
    // Returns after the system has opened the program, or failed.
    child = spawn(held.program, argv.slice(1), options);
  } finally {
    held.release();
  }
  if (child.pid !== undefined) {
    child.on("error", () => {});
    return child;
  }
  return new Promise((_resolve, reject) => child.once("error", reject));
}

/** Yields to other work, however much a command prints. */
function readFrom(fd: number, onBytes: (bytes: Uint8Array) => void): Socket {
  let left = TURN_BYTES;
  const callback = (count: number): boolean => {
    onBytes(READ_BUFFER.subarray(0, count));
    left -= count;
    if (left > 0) return true;
    left = TURN_BYTES;
    setImmediate(() => socket.resume());
    return false;
  };
  const onread = { buffer: READ_BUFFER, callback };
  const socket: Socket = new Socket({ fd, readable: true, writable: false, onread });
  return socket;
}

function spawnFailure(thrown: unknown, { argv, cwd }: Launch): unknown {
  if (thrown instanceof RunnerError) return thrown;
  const program = JSON.stringify(argv[0]);
  switch (runnerErrno(thrown)) {
    case "ENOENT":
    case "ENOTDIR":
      return statSync(cwd, { throwIfNoEntry: false })?.isDirectory()
        ? new RunnerError("PROGRAM_NOT_FOUND", `there is no program ${program}`)
        : new RunnerError("workdir-not-found", `the folder ${JSON.stringify(cwd)} is gone`);
    case "EACCES":
    case "ENOEXEC":
      return new RunnerError("PROGRAM_NOT_FOUND", `${program} cannot be executed`);
    case "E2BIG":
      return new RunnerError("command-too-long", "the arguments exceed a limit of the system");
    case undefined:
      return thrown;
    default:
      return new RunnerError("spawn-failed", `the system refused: ${(thrown as Error).message}`);
  }
}

/** @throws RunnerError if the arguments can never be passed */
export function checkArguments(argv: readonly string[]): void {
  if (argv.length === 0 || argv[0] === "") throw new RunnerError("INVALID_PROCESS", "no program is named");
  for (const one of argv) {
    if (one.includes("\0")) throw new RunnerError("INVALID_PROCESS", "an argument contains a NUL character");
    if (one.length * 3 > MAX_ARGUMENT_BYTES && Buffer.byteLength(one) > MAX_ARGUMENT_BYTES) {
      throw new RunnerError("command-too-long", `one argument is longer than ${MAX_ARGUMENT_BYTES} bytes`);
    }
  }
}
