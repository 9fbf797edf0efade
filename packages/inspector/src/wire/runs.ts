import type { SessionKind } from "@haft/core";
import type { RecordMode } from "@haft/core/internal";
import type { RunRecord } from "@haft/core/kernel";
import type { Time } from "./basics.ts";

/** A session: one opening of a conversation, and all that continued it. */
export interface Run extends Pick<RunRecord, "runId" | "sessionKey" | "openedAt" | "epoch" | "closedAt"> {
  /** What it may do by default. */
  kind: SessionKind;
  /** Whose conversation it is. */
  agentId: string;
  /** The channel it came through. */
  channel?: string;
  /** The group of that. */
  group?: string;
  /** The model, where that is known. */
  model?: string;
  /** Where its tools act: `host`, `sandbox`, `node` … */
  place: string;
  /** In which folder. */
  cwd: string;
  /** How much is kept of its calls; absent where nothing is. */
  record?: RecordMode;
  /**
   * `live`: open in this very process. `held`: open in another one. `closed`: ended in order. `left`: whoever had it is gone and did
   * not close it.
   */
  state: "live" | "held" | "closed" | "left";
  /** Which process has it. */
  heldBy?: { host: string; pid: number };
  /** How many calls it has: the place (`seq`) of the last one. */
  calls: number;
  /** Calls that run, and that wait for a decision, as far as this inspector knows; absent where it has not looked. */
  busy?: { running: number; waiting: number };
  /** When its last call was heard of. */
  lastAt?: Time;
}
