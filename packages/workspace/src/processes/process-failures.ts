import type { EffectReceipt, ErrorCategory } from "@haft/core";
import { HaftError, messageOf } from "@haft/core";
import type { RunnerErrorCode } from "../wire/runner-error.ts";
import { RunnerError } from "../wire/runner-error.ts";

interface Failure {
  category: ErrorCategory;
  fix: string;
  /** What the failed call may have done; `none` when absent. */
  receipt?: EffectReceipt;
}

type FailureCode = RunnerErrorCode | "WORKDIR_INVALID" | "ABORTED" | "SANDBOX_LOST" | "RUNNER_FAILED";

const FAILURES: Readonly<Record<FailureCode, Failure>> = {
  INVALID_PROCESS: { category: "input", fix: "Correct the arguments and repeat the call." },
  WORKDIR_INVALID: { category: "input", fix: "Name a folder relative to the workspace, without `~`." },
  WORKDIR_NOT_FOUND: {
    category: "input",
    fix: "List the parent folder to see what is there, or create the folder.",
  },
  PROGRAM_NOT_FOUND: { category: "input", fix: "Check the name and whether it is installed and executable." },
  COMMAND_TOO_LONG: {
    category: "input",
    fix: "Put long data into a file, or run a script instead of arguments.",
  },
  SPAWN_FAILED: {
    category: "operational",
    fix: "The machine may be out of processes, memory or files; end some.",
  },
  PLAN_CHANGED: {
    category: "policy",
    fix: "Nothing was started. Repeat the call, so that it is decided about as things are now.",
  },
  TOO_MANY_PROCESSES: { category: "operational", fix: "Wait for running processes or kill some." },
  PTY_UNAVAILABLE: {
    category: "operational",
    fix: "Run it without a terminal, or install `@lydell/node-pty` or `script` where commands run.",
  },
  PROCESS_NOT_FOUND: { category: "input", fix: "List the processes to see which there are." },
  PROCESS_RUNNING: { category: "input", fix: "Kill it first, or wait for its end." },
  STDIN_CLOSED: {
    category: "operational",
    fix: "It takes no more input; read its output to see how it went on.",
  },
  STDIN_FULL: { category: "operational", fix: "It is not reading; look at its output before sending more." },
  NOT_A_TERMINAL: { category: "input", fix: "Start it with `pty` to give it a terminal." },
  HOST_PROGRAM_CHANGED: {
    category: "operational",
    fix: "Nothing was started. Find out who changed it; when that was meant, an upgrade perhaps, restart the host, which looks for it anew.",
  },
  HOST_PROGRAM_MISSING: {
    category: "operational",
    fix: "Install it, in a folder of the PATH of this program.",
  },
  HOST_PROGRAM_REFUSED: {
    category: "operational",
    fix: "Have it in a folder of the PATH that belongs to root or to you, that nobody else may write to, and where no session works; or open the session in a smaller folder.",
  },
  RUNNER_UNAVAILABLE: { category: "operational", fix: "Nothing was started; repeat the call." },
  RUNNER_LOST: {
    category: "operational",
    fix: "It may or may not have happened: look before you repeat it.",
    receipt: "unknown",
  },
  SANDBOX_LOST: {
    category: "operational",
    fix: "It may or may not have happened: look before you repeat it. The next call opens a new sandbox.",
    receipt: "unknown",
  },
  RUNNER_FAILED: {
    category: "operational",
    fix: "Look at what runs before you repeat it; a new sandbox may be needed.",
    receipt: "unknown",
  },
  ABORTED: { category: "operational", fix: "Start it again if it is still wanted." },
};

/** A coded error about one call: what was tried, and why it failed. */
export function processFailure(
  code: FailureCode,
  tried: string,
  why: string,
  more: { details?: Record<string, unknown>; cause?: unknown; receipt?: EffectReceipt } = {},
): HaftError {
  const { category, fix, receipt = "none" } = FAILURES[code];
  return new HaftError(code, `Cannot ${tried}: ${why}.`, { category, fix, receipt, ...more });
}

/**
 * Whatever a runner or its stream threw, as a coded error. From a sandbox it may be anything, as code that runs there
 * may have taken its runner over.
 */
export function toProcessFailure(thrown: unknown, tried: string, place: "host" | "sandbox"): unknown {
  if (!(thrown instanceof RunnerError)) {
    if (place === "host" || HaftError.is(thrown)) return thrown;
    return processFailure("RUNNER_FAILED", tried, messageOf(thrown).slice(0, MAX_WHY), { cause: thrown });
  }
  const { code, message } = thrown;
  const more = { cause: thrown };
  if (place === "host") return processFailure(code, tried, message, more);
  const why = message.slice(0, MAX_WHY);
  const gone = `the sandbox is gone, because ${why}`;
  if (code === "RUNNER_LOST") return processFailure("SANDBOX_LOST", tried, gone, more);
  if (code === "RUNNER_UNAVAILABLE") {
    return processFailure("SANDBOX_LOST", tried, gone, { ...more, receipt: "none" });
  }
  // What the host's own programs are, only the host can say.
  const known = Object.hasOwn(FAILURES, code) && !code.startsWith("HOST_");
  return processFailure(known ? code : "RUNNER_FAILED", tried, why, more);
}

/** Characters of what a place may say of itself in an error. */
export const MAX_WHY = 1_000;
