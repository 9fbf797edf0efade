import type { HaftError, ProcessEnd, ProcessInfo } from "@haft/core";
import type { RunnerConnection, RunnerErrorCode } from "@haft/workspace/internal/wire";
import { RunnerError } from "@haft/workspace/internal/wire";
import { sandboxError } from "../errors.ts";
import type { ShellAnswer } from "./shell-channel.ts";

/** Names by number, the same everywhere these shells run. */
const SIGNALS: Readonly<Record<number, string>> = {
  1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 6: "SIGABRT", 8: "SIGFPE", 9: "SIGKILL",
  11: "SIGSEGV", 13: "SIGPIPE", 14: "SIGALRM", 15: "SIGTERM", 24: "SIGXCPU", 25: "SIGXFSZ",
}; // prettier-ignore
const CODES: readonly string[] = [
  "WORKDIR_NOT_FOUND",
  "PROGRAM_NOT_FOUND",
  "STDIN_CLOSED",
  "STDIN_FULL",
] satisfies RunnerErrorCode[];

/** A shell has one number for both: 128 and more is a signal, or a program that says so. */
export function endOf(
  code: number,
  cause: ProcessEnd | undefined,
): Pick<ProcessInfo, "reason" | "exitCode" | "signal"> {
  const signal = SIGNALS[code - 128];
  if (signal === undefined) return { reason: cause ?? "exit", exitCode: code };
  return { reason: cause ?? "signal", signal };
}

/** @throws RunnerError for an answer that says no */
export function checked(answer: ShellAnswer): ShellAnswer {
  if (answer.ok) return answer;
  throw failed(answer);
}

export function failed({ fields }: ShellAnswer): RunnerError {
  const code = fields[0] ?? "";
  return new RunnerError(
    CODES.includes(code) ? (code as RunnerErrorCode) : "SPAWN_FAILED",
    code === "WORKDIR_NOT_FOUND" || code === "OUTSIDE_WORKSPACE"
      ? "there is no such folder in the workspace"
      : code === "PROGRAM_NOT_FOUND"
        ? "there is no such program there"
        : code === "STDIN_CLOSED"
          ? "its standard input is closed"
          : `the shell there reports ${code}`,
  );
}

/** What only Haft's own runner can. */
export function missing(what: string, capability: keyof RunnerConnection["capabilities"]): HaftError {
  return sandboxError("CAPABILITY_MISSING", `Cannot ${what}: only a shell serves in this sandbox.`, {
    fix: "Do it another way, or open a sandbox whose image has Node 20 or later: its runner can.",
    details: { capability, runner: "shell" },
  });
}
