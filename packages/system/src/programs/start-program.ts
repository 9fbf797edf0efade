import type { ChildProcess, ExecException, ExecFileOptions, SpawnOptions } from "node:child_process";
import { execFile, execFileSync, spawn } from "node:child_process";
import { type HostProgram, requireUnchangedProgram } from "./host-program.ts";

/** The complete environment of a program, without the environment of this process. */
export type Environment = { env: Readonly<Record<string, string | undefined>> };

/**
 * Starts a program for the host. Paths of programs in its arguments must come from {@link requireUnchangedProgram}, and its `PATH` from
 * `safePath`.
 *
 * @throws RunnerError `HOST_PROGRAM_CHANGED`
 * @example
 * ```ts
 * import { hostProgram, safePath, startProgram } from "@haft/system";
 * const child = startProgram(hostProgram("ssh"), ["-N", "build-server"], { env: { PATH: safePath() } });
 * child.once("exit", (code) => console.log("ssh ended with", code));
 * ```
 */
export function startProgram(
  program: HostProgram,
  args: readonly string[],
  options: SpawnOptions & Environment,
): ChildProcess {
  // Some programs depend on their called name.
  return spawn(requireUnchangedProgram(program), args, {
    argv0: program.name,
    ...options,
    env: { ...options.env },
  });
}

/**
 * Runs a program and waits for its end.
 *
 * @param options Those of `execFile`, with the whole environment, and `input` for standard input.
 * @returns its standard output as UTF-8, and the failure unless the exit code is 0
 * @throws RunnerError `HOST_PROGRAM_CHANGED`
 * @example
 * ```ts
 * import { hostProgram, runProgram, safePath } from "@haft/system";
 * const options = { env: { PATH: safePath() }, timeout: 10_000 };
 * const { output, failure } = await runProgram(hostProgram("git"), ["ls-files"], options);
 * if (failure === undefined) console.log(output.split("\n").length - 1, "files");
 * ```
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
    // A program may end before it reads everything.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
  });
}

/**
 * Runs a program and blocks until it ends. Returns its standard output as UTF-8.
 *
 * @throws RunnerError `HOST_PROGRAM_CHANGED`
 * @throws Error of `execFileSync` unless the exit code is 0
 * @example
 * ```ts
 * import { runningNode, runProgramSync } from "@haft/system";
 * const version = runProgramSync(runningNode(), ["--version"], { env: {} }).trim();
 * ```
 */
export function runProgramSync(program: HostProgram, args: readonly string[], { env }: Environment): string {
  return execFileSync(requireUnchangedProgram(program), args, {
    env: { ...env },
    encoding: "utf8",
    stdio: "pipe",
  });
}
