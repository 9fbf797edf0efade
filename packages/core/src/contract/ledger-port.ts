import type { EffectReceipt } from "./errors.ts";
import type { ToolOutcome, ToolResult } from "./result.ts";

/** One call, from the moment the kernel heard of it. Times are milliseconds since the epoch. */
export interface ToolMeta {
  /** The id of the call, unique in its session. */
  readonly toolCallId: string;
  /** The canonical name; the name as received when no tool has it. */
  toolName: string;
  /** Canonical and valid once the call got that far; as received before. */
  args: unknown;
  /** Where it stands; the last two are final. */
  status: "pending" | "executing" | "completed" | "failed";
  /** What the model was given. `elided`, like `args`, when the ledger's budget is spent on newer calls. */
  result?: Pick<ToolResult, "content" | "details"> | { elided: true } | undefined;
  /** When the kernel heard of it. */
  readonly createdAt: number;
  /** When the tool's code was entered. */
  startedAt?: number | undefined;
  /** When it ended. */
  endedAt?: number | undefined;
  /** How it ended. */
  outcome?: ToolOutcome["kind"] | undefined;
  /** Code of an outcome that is not `ok`. */
  code?: string | undefined;
  /** The policy decision the call ran (or did not run) under. */
  decisionId?: string | undefined;
  /** An earlier call with the same tool and arguments. */
  duplicateOf?: string | undefined;
  /** The call of another tool that made this one. */
  parentCallId?: string | undefined;
  /** What it left behind. */
  receipt?: EffectReceipt | undefined;
  /** Who decided about it, where somebody was asked and said who they are. */
  decidedBy?: string | undefined;
  /** What was allowed before and let it through without anybody being asked. */
  grantIds?: readonly string[] | undefined;
  /** Hosts it contacted through its context, in the order of first contact; at most 64. */
  hosts?: readonly string[] | undefined;
}

/**
 * Keeps ledgers beyond the process. `append` and `transition` are called in order, once for each
 * change, with the entry as it then is.
 */
export interface LedgerStore {
  /** The past of a conversation, oldest first; empty for a new one. */
  load(sessionKey: string): ToolMeta[] | Promise<ToolMeta[]>;
  /** A call was heard of. */
  append(sessionKey: string, entry: Readonly<ToolMeta>): void | Promise<void>;
  /** A call went on or ended: replaces the entry of the same id. */
  transition(sessionKey: string, entry: Readonly<ToolMeta>): void | Promise<void>;
}
