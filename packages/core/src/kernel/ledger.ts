import type { HaftError, EffectReceipt } from "../contract/errors.ts";
import type { PastStore, ToolMeta } from "../contract/ledger-port.ts";
import type { Logger } from "../contract/ports.ts";
import type { ToolOutcome, ToolResult } from "../contract/result.ts";
import { coreError } from "../errors.ts";
import { messageWithCauses } from "../format/causes.ts";
import { TextIndex } from "./text-index.ts";

/** A store that lives as long as the process: a session opened again under its key finds its past. */
export function createMemoryStore(): PastStore {
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

const LEGAL: Readonly<Record<ToolMeta["status"], readonly ToolMeta["status"][]>> = {
  pending: ["executing", "failed"],
  executing: ["completed", "failed"],
  completed: [],
  failed: [],
};

/** Characters of arguments and results kept in memory; those of the oldest calls are elided beyond. */
const BUDGET = 16_000_000;

/** One for all: in a long session most of the history is this. */
const ELIDED: { readonly elided: true } = Object.freeze({ elided: true });

/** A {@link ToolMeta} with every field from the start, so that all entries have one shape in memory. */
class Entry implements ToolMeta {
  readonly toolCallId: string;
  toolName: string;
  args: unknown;
  status: ToolMeta["status"] = "pending";
  result: ToolMeta["result"] = undefined;
  readonly createdAt: number = Date.now();
  startedAt: number | undefined = undefined;
  endedAt: number | undefined = undefined;
  outcome: ToolOutcome["kind"] | undefined = undefined;
  code: string | undefined = undefined;
  decisionId: string | undefined = undefined;
  duplicateOf: string | undefined = undefined;
  readonly parentCallId: string | undefined;
  receipt: EffectReceipt | undefined = undefined;
  decidedBy: string | undefined = undefined;
  grantIds: readonly string[] | undefined = undefined;
  hosts: readonly string[] | undefined = undefined;
  /** Characters it keeps in memory. Not part of the record. */
  #weight: number;

  constructor(toolCallId: string, toolName: string, args: unknown, weight: number, parentCallId?: string) {
    this.toolCallId = toolCallId;
    this.toolName = toolName;
    this.args = args;
    this.#weight = weight;
    this.parentCallId = parentCallId;
  }

  /** Its arguments are others by now. */
  weigh(characters: number): void {
    this.#weight = characters;
  }

  /** Adds what the result weighs and answers the whole weight. */
  weighed(): number {
    if (this.result && "content" in this.result) this.#weight += sizeOf(this.result);
    return this.#weight;
  }

  /** Lets go of arguments and result; answers the weight they had. */
  elide(): number {
    const weight = this.#weight;
    this.#weight = 0;
    this.args = ELIDED;
    if (this.result) this.result = ELIDED;
    return weight;
  }
}

/** All calls of one session, in the order the kernel heard of them. Entries are never removed. */
export class Ledger {
  readonly #byId = new TextIndex<ToolMeta>((entry) => entry.toolCallId);
  readonly #sessionKey: string;
  readonly #store: PastStore | undefined;
  readonly #logger: Logger | undefined;
  #keptCharacters = 0;
  #nextToElide = 0;

  constructor(sessionKey: string, store?: PastStore, past: readonly ToolMeta[] = [], logger?: Logger) {
    this.#sessionKey = sessionKey;
    this.#store = store;
    this.#logger = logger;
    for (const before of past) {
      const entry = interruptedIsFailed(before);
      this.#byId.add(entry);
      if (entry.status !== before.status) this.#keep("transition", entry);
    }
  }

  get entries(): ToolMeta[] {
    return this.#byId.values;
  }

  get(toolCallId: string): ToolMeta | undefined {
    return this.#byId.get(toolCallId);
  }

  /** `weight` is what the arguments cost to keep, in characters. */
  append(
    toolCallId: string,
    toolName: string,
    args: unknown,
    weight: number,
    parentCallId?: string,
  ): ToolMeta {
    if (this.#byId.get(toolCallId)) throw illegal(`call id ${toolCallId} is in the ledger already`);
    const entry = new Entry(toolCallId, toolName, args, weight, parentCallId);
    this.#byId.add(entry);
    if (this.#store) this.#keep("append", entry);
    return entry;
  }

  /** The arguments of a call that has not ended became others, which cost so many characters to keep. */
  weigh(entry: ToolMeta, characters: number): void {
    if (entry instanceof Entry) entry.weigh(characters);
  }

  /** The call's code is about to run; answers when. Throws `ILLEGAL_TRANSITION` unless it was pending. */
  begin(entry: ToolMeta): number {
    this.#move(entry, "executing");
    entry.startedAt = Date.now();
    if (this.#store) this.#keep("transition", entry);
    return entry.startedAt;
  }

  /** The call ended. Throws `ILLEGAL_TRANSITION` when it had ended before. */
  end(entry: ToolMeta, outcome: ToolOutcome, decisionId: string | undefined): void {
    this.#move(entry, outcome.kind === "ok" ? "completed" : "failed");
    entry.endedAt = Date.now();
    entry.outcome = outcome.kind;
    if (outcome.kind !== "ok") entry.code = outcome.code;
    entry.receipt = outcome.receipt;
    entry.result = { content: outcome.content, details: outcome.details };
    entry.decisionId = decisionId;
    if (entry instanceof Entry) this.#keptCharacters += entry.weighed();
    if (this.#keptCharacters > BUDGET) this.#elideOldest();
    if (this.#store) this.#keep("transition", entry);
  }

  /** A store that fails is reported; the call itself has happened, and its outcome is not thrown away. */
  #keep(step: "append" | "transition", entry: ToolMeta): void {
    const report = (thrown: unknown) =>
      this.#logger?.error("The ledger's store failed.", {
        step,
        call: entry.toolCallId,
        reason: messageWithCauses(thrown),
      });
    try {
      void Promise.resolve(this.#store?.[step](this.#sessionKey, entry)).catch(report);
    } catch (thrown) {
      report(thrown);
    }
  }

  #move(entry: ToolMeta, status: ToolMeta["status"]): void {
    if (!LEGAL[entry.status].includes(status)) {
      throw illegal(`call ${entry.toolCallId} cannot go from ${entry.status} to ${status}`);
    }
    entry.status = status;
  }

  #elideOldest(): void {
    while (this.#keptCharacters > BUDGET && this.#nextToElide < this.entries.length - 1) {
      const oldest = this.entries[this.#nextToElide++]!;
      // One that has not ended is passed over: a call that waits for days must not keep all after it.
      if (oldest.endedAt !== undefined && oldest instanceof Entry) this.#keptCharacters -= oldest.elide();
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
  return coreError("ILLEGAL_TRANSITION", `The ledger refuses an impossible step: ${what}.`);
}
