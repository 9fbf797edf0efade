import type { EffectReceipt } from "./errors.ts";
import type { OutcomeKind, ToolResult } from "./result.ts";

/** Where a call stands. The last two are final. */
export type ToolStatus = "pending" | "executing" | "completed" | "failed";

/** One call, from the moment the kernel heard of it. Times are milliseconds since the epoch. */
export interface ToolMeta {
  readonly toolCallId: string;
  /** The canonical name; the name as received when no tool has it. */
  toolName: string;
  /** Canonical and valid once the call got that far; as received before. */
  args: unknown;
  status: ToolStatus;
  /** What the model was given. `elided`, like `args`, when the ledger's budget is spent on newer calls. */
  result?: Pick<ToolResult, "content" | "details"> | { elided: true } | undefined;
  readonly createdAt: number;
  startedAt?: number | undefined;
  endedAt?: number | undefined;
  outcome?: OutcomeKind | undefined;
  /** Code of an outcome that is not `ok`. */
  code?: string | undefined;
  /** The policy decision the call ran (or did not run) under. */
  decisionId?: string | undefined;
  /** An earlier call with the same tool and arguments. */
  duplicateOf?: string | undefined;
  /** The call of another tool that made this one. */
  parentCallId?: string | undefined;
  receipt?: EffectReceipt | undefined;
  /** Who decided about it, where somebody was asked and said who they are. */
  decidedBy?: string | undefined;
  /** What was allowed before and let it through without anybody being asked. */
  grantIds?: readonly string[] | undefined;
}

/**
 * Keeps ledgers beyond the process. `append` and `transition` are called in order, once for each
 * change, with the entry as it then is.
 */
export interface LedgerStore {
  load(sessionKey: string): ToolMeta[] | Promise<ToolMeta[]>;
  append(sessionKey: string, entry: Readonly<ToolMeta>): void | Promise<void>;
  transition(sessionKey: string, entry: Readonly<ToolMeta>): void | Promise<void>;
}
