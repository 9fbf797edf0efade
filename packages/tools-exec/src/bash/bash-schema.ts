import { type Static, Type } from "@haft/plugin-sdk";
import type { ExecRunningDetails } from "../exec/exec-result.ts";

/** The parameters of `bash`. */
export const bashSchema = Type.Object(
  {
    script: Type.String({ minLength: 1 }),
    timeout: Type.Optional(Type.Number({ minimum: 0, description: "Seconds; none by default." })),
    workdir: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);

/** Arguments of a call of `bash`. */
export type BashToolInput = Static<typeof bashSchema>;

/** Options of the `bash` tool. */
export interface BashToolOptions {
  /** Whose commands these are; those of the calling session by default. */
  scopeKey?: string;
}

/** A script that ended with exit code 0 while the call waited. */
export interface BashEndedDetails {
  /** A script that fails is an error instead. */
  status: "completed";
  /** Always 0. */
  exitCode: number;
  /** Milliseconds from its start to its end. */
  durationMs: number;
  /** Absolute. */
  cwd: string;
  /** Bytes before the shown ones. */
  omittedBytes?: number;
  /** The file with the whole output, when something was left out and it is long enough to have one. */
  fullOutputPath?: string;
  /** Under this id `process log` shows the whole output, when something was left out. */
  sessionId?: string;
}

/** What `bash` tells programs: partial results are of a running script, the last of an ended one. */
export type BashToolDetails = BashEndedDetails | ExecRunningDetails;
