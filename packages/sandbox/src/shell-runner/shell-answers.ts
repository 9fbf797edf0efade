import type { HaftError, ProcessInfo } from "@haft/core";
import { RunnerError, type RunnerErrorCode } from "@haft/system";
import type { RunnerConnection } from "@haft/workspace/internal/wire";
import { sandboxError } from "../errors.ts";
import type { ShellAnswer } from "./shell-channel.ts";

const SIGNALS: Readonly<Record<number, string>> = {
  1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 6: "SIGABRT", 8: "SIGFPE", 9: "SIGKILL",
  11: "SIGSEGV", 13: "SIGPIPE", 14: "SIGALRM", 15: "SIGTERM", 24: "SIGXCPU", 25: "SIGXFSZ",
}; // prettier-ignore
const REASONS: Readonly<Record<string, { code: RunnerErrorCode; why: string }>> = {
  "workdir-not-found": { code: "workdir-not-found", why: "the folder does not exist in the workspace" },
  OUTSIDE_WORKSPACE: { code: "spawn-failed", why: "the folder does not exist in the workspace" },
  PROGRAM_NOT_FOUND: { code: "PROGRAM_NOT_FOUND", why: "the program does not exist there" },
  STDIN_CLOSED: { code: "STDIN_CLOSED", why: "its standard input is closed" },
  SESSION_LEASE_LOST: {
    code: "SESSION_LEASE_LOST",
    why: "the lease of its session had ended when it arrived, so it was not dispatched",
  },
  STDIN_FULL: { code: "STDIN_FULL", why: "the shell there reports STDIN_FULL" },
};

/** 128 and more means a signal, or a program with that exit code. */
export function toProcessEnd(
  code: number,
  cause: ProcessInfo["reason"],
): Pick<ProcessInfo, "reason" | "exitCode" | "signal"> {
  const signal = SIGNALS[code - 128];
  if (signal === undefined) return { reason: cause ?? "exit", exitCode: code };
  return { reason: cause ?? "signal", signal };
}

export function requireSuccess(answer: ShellAnswer): ShellAnswer {
  if (answer.ok) return answer;
  throw toRunnerError(answer);
}

export function toRunnerError({ fields: [shellReason = ""] }: ShellAnswer): RunnerError {
  const known = Object.hasOwn(REASONS, shellReason) ? REASONS[shellReason] : undefined;
  const { code, why } = known ?? { code: "spawn-failed", why: `the shell there reports ${shellReason}` };
  return new RunnerError(code, why);
}

export function capabilityMissingError(
  what: string,
  capability: keyof RunnerConnection["capabilities"],
): HaftError {
  return sandboxError("CAPABILITY_MISSING", `Cannot ${what}: this sandbox has only a shell runner.`, {
    details: { capability, runner: "shell" },
  });
}
