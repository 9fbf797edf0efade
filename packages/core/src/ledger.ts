import { HaftError, type EffectReceipt } from "./errors.ts";
import type { OutcomeKind, ToolResult } from "./result.ts";

export type ToolStatus = "pending" | "executing" | "completed" | "failed";

/** One call, from the moment the kernel heard of it. Times are milliseconds since the epoch. */
export interface ToolMeta {
  readonly toolCallId: string;
  /** The canonical name; the name as received when no tool has it. */
  toolName: string;
  /** Canonical and valid once the call got that far; as received before. */
  args: unknown;
  status: ToolStatus;
  /** What the model was given. `elided` when the ledger's budget is spent on newer results. */
  result?: Pick<ToolResult, "content" | "details"> | { elided: true };
  readonly createdAt: number;
  startedAt?: number;
  endedAt?: number;
  outcome?: OutcomeKind;
  /** Code of an outcome that is not `ok`. */
  code?: string;
  /** The policy decision the call ran (or did not run) under. */
  decisionId?: string;
  /** An earlier call with the same tool and arguments. */
  duplicateOf?: string;
  /** The call of another tool that made this one. */
  parentCallId?: string;
  receipt?: EffectReceipt;
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

/** A store that lives as long as the process: a session opened again under its key finds its past. */
export function createMemoryStore(): LedgerStore {
  const sessions = new Map<string, ToolMeta[]>();
  return {
    load: (sessionKey) => sessions.get(sessionKey)?.map((entry) => ({ ...entry })) ?? [],
    append(sessionKey, entry) {
      const entries = sessions.get(sessionKey);
      if (entries) entries.push({ ...entry });
      else sessions.set(sessionKey, [{ ...entry }]);
    },
    transition(sessionKey, entry) {
      const entries = sessions.get(sessionKey) ?? [];
      const index = entries.findLastIndex((known) => known.toolCallId === entry.toolCallId);
      if (index >= 0) entries[index] = { ...entry };
    },
  };
}

const LEGAL: Readonly<Record<ToolStatus, readonly ToolStatus[]>> = {
  pending: ["executing", "failed"],
  executing: ["completed", "failed"],
  completed: [],
  failed: [],
};

/** Characters of results kept in memory; the oldest are elided beyond. */
const RESULT_BUDGET = 16_000_000;

/** All calls of one session, in the order the kernel heard of them. Entries are never removed. */
export class Ledger {
  readonly entries: ToolMeta[];
  readonly #byId = new Map<string, ToolMeta>();
  readonly #sessionKey: string;
  readonly #store: LedgerStore | undefined;
  #keptCharacters = 0;
  #nextToElide = 0;

  constructor(sessionKey: string, store?: LedgerStore, past: readonly ToolMeta[] = []) {
    this.#sessionKey = sessionKey;
    this.#store = store;
    this.entries = past.map(interruptedIsFailed);
    for (const entry of this.entries) this.#byId.set(entry.toolCallId, entry);
    for (const [index, entry] of this.entries.entries()) {
      if (entry.status !== past[index]!.status) store?.transition(sessionKey, entry);
    }
  }

  get(toolCallId: string): ToolMeta | undefined {
    return this.#byId.get(toolCallId);
  }

  append(toolCallId: string, toolName: string, args: unknown, parentCallId?: string): ToolMeta {
    if (this.#byId.has(toolCallId)) throw illegal(`call id ${toolCallId} is in the ledger already`);
    const entry: ToolMeta = { toolCallId, toolName, args, status: "pending", createdAt: Date.now() };
    if (parentCallId !== undefined) entry.parentCallId = parentCallId;
    this.entries.push(entry);
    this.#byId.set(toolCallId, entry);
    this.#store?.append(this.#sessionKey, entry);
    return entry;
  }

  /** Moves an entry on. Throws `ILLEGAL_TRANSITION` for a step the state machine does not have. */
  transition(entry: ToolMeta, status: ToolStatus, changes?: Partial<ToolMeta>): void {
    if (!LEGAL[entry.status].includes(status)) {
      throw illegal(`call ${entry.toolCallId} cannot go from ${entry.status} to ${status}`);
    }
    entry.status = status;
    if (changes) Object.assign(entry, changes);
    if (status === "executing") entry.startedAt = Date.now();
    else this.#end(entry);
    this.#store?.transition(this.#sessionKey, entry);
  }

  #end(entry: ToolMeta): void {
    entry.endedAt = Date.now();
    if (entry.result && "content" in entry.result) this.#keptCharacters += sizeOf(entry.result);
    while (this.#keptCharacters > RESULT_BUDGET && this.#nextToElide < this.entries.length - 1) {
      const oldest = this.entries[this.#nextToElide]!;
      if (oldest.status === "pending" || oldest.status === "executing") break;
      this.#nextToElide++;
      if (!oldest.result || !("content" in oldest.result)) continue;
      this.#keptCharacters -= sizeOf(oldest.result);
      oldest.result = { elided: true };
    }
  }
}

/** After a crash nobody knows how far a running call got: it failed, and its effects are unknown. */
function interruptedIsFailed(entry: ToolMeta): ToolMeta {
  if (entry.status === "completed" || entry.status === "failed") return entry;
  const receipt: EffectReceipt = entry.status === "executing" ? "unknown" : "none";
  return { ...entry, status: "failed", outcome: "error", code: "INTERRUPTED", receipt, endedAt: Date.now() };
}

function sizeOf(result: Pick<ToolResult, "content">): number {
  let size = 0;
  for (const block of result.content) size += block.type === "text" ? block.text.length : block.data.length;
  return size;
}

function illegal(what: string): HaftError {
  return new HaftError("ILLEGAL_TRANSITION", `The ledger refuses an impossible step: ${what}.`, {
    category: "internal",
  });
}
