import type { OutputStream, ProcessOutput } from "@haft/core";
import type { RunnerErrorCode } from "./runner-error.ts";

/** The runner's first frame is `{ hello: PROTOCOL_VERSION }`. It changes when the sides would misunderstand each other. */
export const PROTOCOL_VERSION = 2;

/** One call of the port. Bytes to write are the frame's body. */
export interface Request {
  n: number;
  op: string;
  args: unknown[];
}

/** Ends the waiting of an earlier request. */
export interface Cancel {
  cancel: number;
}

/** `value` is what the call answers. The bytes of output chunks are the frame's body, one after the other. */
export interface Reply {
  n: number;
  value?: unknown;
  error?: { code: RunnerErrorCode | undefined; why: string };
}

/** {@link ProcessOutput} without its bytes. */
export interface OutputHead extends Omit<ProcessOutput, "chunks"> {
  chunks: { stream: OutputStream; offset: number; length: number }[];
}
