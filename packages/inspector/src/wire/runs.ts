import type { SessionKind } from "@haft/core";
import type { RecordMode } from "@haft/core/internal";
import type { RunRecord } from "@haft/core/kernel";
import type { Time } from "./basics.ts";

/**
 * A session: an opening of a conversation with its continuations.
 *
 * @example
 * ```ts
 * import type { Run } from "@haft/inspector";
 * const format = ({ sessionKey, agentId, state, calls }: Run) => `${sessionKey} (${agentId}): ${state}, ${calls} calls`;
 * ```
 */
export interface Run extends Pick<RunRecord, "runId" | "sessionKey" | "openedAt" | "epoch" | "closedAt"> {
  kind: SessionKind;
  agentId: string;
  /** The message channel. */
  channel?: string;
  group?: string;
  model?: string;
  /** The execution target: `host`, `sandbox`, `node` and others. */
  place: string;
  /** The folder of the workspace. */
  cwd: string;
  /** The record's extent, if any. */
  record?: RecordMode;
  /** `live`: open in this process. `held`: open in another. `closed`. `left`: its process ended first. */
  state: "live" | "held" | "closed" | "left";
  /** The lease's holder. */
  heldBy?: { host: string; pid: number };
  /** The `seq` of the last call. */
  calls: number;
  /** Running and waiting calls, if known. */
  busy?: { running: number; waiting: number };
  /** Its calls' last change. */
  lastAt?: Time;
}
