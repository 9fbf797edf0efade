import type { SessionKind } from "@haft/core";
import type { RecordMode } from "@haft/core/internal";
import type { RunRecord } from "@haft/core/kernel";
import type { Time } from "./basics.ts";

/**
 * A session: one opening of a conversation, and everything that continued it.
 *
 * @example
 * ```ts
 * import type { Run } from "@haft/inspector";
 * const format = ({ sessionKey, agentId, state, calls }: Run) => `${sessionKey} (${agentId}): ${state}, ${calls} calls`;
 * ```
 */
export interface Run extends Pick<RunRecord, "runId" | "sessionKey" | "openedAt" | "epoch" | "closedAt"> {
  /** The kind of session. */
  kind: SessionKind;
  /** The id of the agent. */
  agentId: string;
  /** The message channel. */
  channel?: string;
  /** The group in the channel. */
  group?: string;
  /** The model, if it is known. */
  model?: string;
  /** The execution target of its tools: `host`, `sandbox`, `node` and others. */
  place: string;
  /** The folder of its workspace. */
  cwd: string;
  /** How much of its calls is recorded. Absent where nothing is. */
  record?: RecordMode;
  /**
   * `live`: it is open in this process. `held`: it is open in another one. `closed`: it was closed. `left`: its process ended and did not close
   * it.
   */
  state: "live" | "held" | "closed" | "left";
  /** The process that holds it. */
  heldBy?: { host: string; pid: number };
  /** Number of its calls: the `seq` of the last one. */
  calls: number;
  /** Number of calls that run, and that wait for a decision. Absent where this inspector does not know it. */
  busy?: { running: number; waiting: number };
  /** Time of the last news about its calls. */
  lastAt?: Time;
}
