import type { ProcessInfo } from "@haft/core";
import type { CallOutcomeSummary } from "./tools.ts";

/** A command in the background, or one that an `exec` waits for. */
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
  /** Its session. */
  runId: string;
  /** The conversation. */
  sessionKey: string;
  /** Where it runs: `host`, `view` (contained on the host), `sandbox`, `node`; `unknown` where that was not written down. */
  where: string;
  /** Bytes it has written; what can still be read. */
  output: { total: number; dropped: number; lastAt?: number };
  /** Why not all of it is known here: a sentence without its end, as `its host has ended, and it ended with it`. */
  unknown?: string;
  /** It can be attached to: its session is open in this process. Of others only what was written down is known. */
  live: boolean;
}

/**
 * `GET /api/runs/RUN/processes/ID/output?from=BYTE&max=BYTES&wait=MS`: waits up to `wait` (at most 25,000) for something new.
 */
export interface ProcessOutputPage {
  /** In the order in which they came. Base64: cut anywhere, also within characters. */
  chunks: readonly { stream: "stdout" | "stderr"; offset: number; base64: string }[];
  /** Go on here. */
  next: number;
  /** Bytes between `from` and `next` that are gone. */
  dropped: number;
  /** How much there is by now. */
  total: number;
  /** Whether it runs. */
  state: ProcessInfo["state"];
}

/** `POST /api/runs/RUN/processes/ID/write`. Goes through the tool `process` of its session, and so through policy and ledger. */
export interface ProcessInput {
  /** What is typed; Enter is `\r` in a terminal. */
  text: string;
  /** End of input after it. */
  eof?: boolean;
}

/** What became of a write, a kill or a new size: of the call of `process` that did it. */
export type ProcessActionResult = CallOutcomeSummary;
