import type { ProcessInfo } from "@haft/core";
import type { CallOutcomeSummary } from "./tools.ts";

/**
 * A command in the background, or one for which an `exec` waits.
 *
 * @example
 * ```ts
 * import type { Process } from "@haft/inspector";
 * const canAttach = ({ live, state }: Process) => live && state === "running";
 * ```
 */
export interface Process extends Pick<
  ProcessInfo,
  | "id"
  | "pid"
  | "command"
  | "cwd"
  | "startedAt"
  | "endedAt"
  | "state"
  | "reason"
  | "exitCode"
  | "signal"
  | "pty"
  | "stdin"
  | "outside"
  | "forward"
> {
  /** The id of its session. */
  runId: string;
  /** The key of the conversation. */
  sessionKey: string;
  /** Where it runs: `host`, `view` (contained on the host), `sandbox` or `node`; `unknown` where that is not recorded. */
  where: string;
  /** Number of bytes that it has written, and of those that are no longer available. */
  output: { total: number; dropped: number; lastAt?: number };
  /** Why some facts are unknown, as a sentence without its end: `its host has ended, and it ended with it`. */
  unknown?: string;
  /** Whether it can be attached to: its session is open in this process. Of others only the record is known. */
  live: boolean;
}

/**
 * A part of the output of a process: `GET /api/runs/RUN/processes/ID/output?from=BYTE&max=BYTES&wait=MS`. The request waits up to `wait`
 * milliseconds (at most 25,000) for new output.
 */
export interface ProcessOutputPage {
  /** The output in the order in which it came, as base64. It may be cut inside of a character. */
  chunks: readonly { stream: "stdout" | "stderr"; offset: number; base64: string }[];
  /** The offset of the next part. */
  next: number;
  /** Number of bytes between `from` and `next` that are no longer available. */
  dropped: number;
  /** The present size of the whole output. */
  total: number;
  /** The state of the process. */
  state: ProcessInfo["state"];
}

/**
 * The body of `POST /api/runs/RUN/processes/ID/write`. It becomes a call of the tool `process` of its session, so policy and ledger apply.
 */
export interface ProcessInput {
  /** The input. Enter is `\r` in a terminal. */
  text: string;
  /** Whether the input ends after it. Default false. */
  eof?: boolean;
}

/** The result of a write or a kill: the outcome of the call of `process`. */
export type ProcessActionResult = CallOutcomeSummary;
