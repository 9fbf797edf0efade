import type { ProcessInfo } from "@haft/core";
import type { CallOutcomeSummary } from "./tools.ts";

/**
 * A background command, or one of a running `exec`.
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
  runId: string;
  /** Key of the conversation. */
  sessionKey: string;
  /** `host`, `view` (contained on the host), `sandbox` or `node`; `unknown` if not recorded. */
  where: string;
  /** Written bytes, and lost bytes. */
  output: { total: number; dropped: number; lastAt?: number };
  /** The reason for unknown facts, without a full stop: `its host has ended, and it ended with it`. */
  unknown?: string;
  /** Its session is open in this process; otherwise only its record is known. */
  live: boolean;
}

/**
 * A part of the output: `GET /api/runs/RUN/processes/ID/output?from=BYTE&max=BYTES&wait=MS`. It waits up to
 * `wait` milliseconds (at most 25,000) for output.
 */
export interface ProcessOutputPage {
  /** In order of arrival; a piece can end inside a character. */
  chunks: readonly { stream: "stdout" | "stderr"; offset: number; base64: string }[];
  /** Offset of the next part. */
  next: number;
  /** Lost bytes between `from` and `next`. */
  dropped: number;
  /** Current size of the whole output. */
  total: number;
  state: ProcessInfo["state"];
}

/** The body of `POST /api/runs/RUN/processes/ID/write`. It becomes a call of the tool `process`. */
export interface ProcessInput {
  /** Enter is `\r` in a terminal. */
  text: string;
  /** Ends the input. Default false. */
  eof?: boolean;
}

/** The outcome of the call of `process`. */
export type ProcessActionResult = CallOutcomeSummary;
