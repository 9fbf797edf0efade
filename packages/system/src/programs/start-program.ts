import type { ChildProcess, ExecException, ExecFileOptions, SpawnOptions } from "node:child_process";
import { execFile, execFileSync, spawn } from "node:child_process";
import { type HostProgram, requireUnchangedProgram } from "./host-program.ts";

/** Nothing of this program's own environment goes along by itself. */
export type Environment = { env: Readonly<Record<string, string | undefined>> };

/**
 * Starts a program for Haft itself: the only way to do so. What it is to start in turn, by its arguments, has to come
 * from {@link requireUnchangedProgram}, and its PATH from `safePath`.
 *
 * @throws RunnerError `HOST_PROGRAM_CHANGED`
 */
export function startProgram(
  program: HostProgram,
  args: readonly string[],
  options: SpawnOptions & Environment,
): ChildProcess {
  // As it was called, and is listed: some programs are many, and go by that name.
  return spawn(requireUnchangedProgram(program), args, {
    argv0: program.name,
    ...options,
    env: { ...options.env },
  });
}

/**
 * Starts one and waits for its end. Answers what it wrote and how it failed, if it did.
 *
 * @param options `input`: what it reads from standard input
 * @throws RunnerError `HOST_PROGRAM_CHANGED`
 */
export async function runProgram(
  program: HostProgram,
  args: readonly string[],
  { input, ...options }: ExecFileOptions & Environment & { input?: Uint8Array | undefined },
): Promise<{ output: string; failure: ExecException | undefined }> {
  const path = requireUnchangedProgram(program);
  return new Promise((resolve) => {
    const given = { ...options, env: { ...options.env }, encoding: "utf8" as const };
    const child = execFile(path, args, given, (error, output) =>
      resolve({ output, failure: error ?? undefined }),
    );
    if (input === undefined) return;
    // One that ends before it has read all of it says how by its end.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
  });
}

/**
 * The same at once. Answers what it wrote.
 *
 * @throws RunnerError `HOST_PROGRAM_CHANGED`, and what Node says of a failure
 */
export function runProgramSync(program: HostProgram, args: readonly string[], { env }: Environment): string {
  return execFileSync(requireUnchangedProgram(program), args, {
    env: { ...env },
    encoding: "utf8",
    stdio: "pipe",
  });
}
