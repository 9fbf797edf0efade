import type { HaftError, EffectReceipt } from "../contract/errors.ts";
import type { PastCall, ToolMeta } from "../contract/ledger-port.ts";
import type { ToolOutcome, ToolResult } from "../contract/result.ts";
import { coreError } from "../errors.ts";
import { HashIndex } from "./hash-index.ts";

const LEGAL: Readonly<Record<ToolMeta["status"], readonly ToolMeta["status"][]>> = {
  pending: ["executing", "failed"],
  executing: ["completed", "failed"],
  completed: [],
  failed: [],
};

const BUDGET = 16_000_000;

const ELIDED: { readonly elided: true } = Object.freeze({ elided: true });

interface Origin {
  readonly answeredAs?: string | undefined;
  readonly createdAt?: number | undefined;
  readonly parentCallId?: string | undefined;
}

const NO_ORIGIN: Origin = {};

/** Sets every field at once: all entries share one shape in memory. */
class Entry implements ToolMeta {
  readonly toolCallId: string;
  readonly answeredAs: string | undefined;
  toolName: string;
  args: unknown;
  status: ToolMeta["status"] = "pending";
  result: ToolMeta["result"] = undefined;
  readonly createdAt: number;
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
  #weight: number;

  constructor(toolCallId: string, toolName: string, args: unknown, weight: number, origin: Origin) {
    this.toolCallId = toolCallId;
    this.answeredAs = origin.answeredAs;
    this.createdAt = origin.createdAt ?? Date.now();
    this.toolName = toolName;
    this.args = args;
    this.#weight = weight;
    this.parentCallId = origin.parentCallId;
  }

  weigh(characters: number): void {
    this.#weight = characters;
  }

  weighed(): number {
    if (this.result && "content" in this.result) this.#weight += sizeOf(this.result);
    return this.#weight;
  }

  elide(): number {
    const weight = this.#weight;
    this.#weight = 0;
    this.args = ELIDED;
    if (this.result) this.result = ELIDED;
    return weight;
  }
}

export class CallHistory {
  readonly #byId = new HashIndex<ToolMeta>((entry) => entry.toolCallId);
  #storedCharacters = 0;
  #nextToElide = 0;

  constructor(past: readonly PastCall[] = []) {
    for (const call of past) if (call.status !== "gap") this.#byId.add(entryOf(call, call.status));
  }

  get entries(): ToolMeta[] {
    return this.#byId.values;
  }

  get(toolCallId: string): ToolMeta | undefined {
    return this.#byId.get(toolCallId);
  }

  append(toolCallId: string, toolName: string, args: unknown, weight: number, origin = NO_ORIGIN): ToolMeta {
    if (this.#byId.get(toolCallId)) throw illegal(`call id ${toolCallId} is already in the ledger`);
    const entry = new Entry(toolCallId, toolName, args, weight, origin);
    this.#byId.add(entry);
    return entry;
  }

  weigh(entry: ToolMeta, characters: number): void {
    if (entry instanceof Entry) entry.weigh(characters);
  }

  begin(entry: ToolMeta): number {
    this.#move(entry, "executing");
    entry.startedAt = Date.now();
    return entry.startedAt;
  }

  end(entry: ToolMeta, outcome: ToolOutcome, decisionId: string | undefined): void {
    this.#move(entry, outcome.kind === "ok" ? "completed" : "failed");
    entry.endedAt = Date.now();
    entry.outcome = outcome.kind;
    if (outcome.kind !== "ok") entry.code = outcome.code;
    entry.receipt = outcome.receipt;
    entry.result = { content: outcome.content, details: outcome.details };
    entry.decisionId = decisionId;
    if (entry instanceof Entry) this.#storedCharacters += entry.weighed();
    if (this.#storedCharacters > BUDGET) this.#elideOldest();
  }

  #move(entry: ToolMeta, status: ToolMeta["status"]): void {
    if (!LEGAL[entry.status].includes(status)) {
      throw illegal(`call ${entry.toolCallId} cannot go from ${entry.status} to ${status}`);
    }
    entry.status = status;
  }

  #elideOldest(): void {
    while (this.#storedCharacters > BUDGET && this.#nextToElide < this.entries.length - 1) {
      const oldest = this.entries[this.#nextToElide++]!;
      // A call that waits for days must not block the eviction of later calls.
      if (oldest.endedAt !== undefined && oldest instanceof Entry) this.#storedCharacters -= oldest.elide();
    }
  }
}

function entryOf(call: PastCall, status: ToolMeta["status"]): ToolMeta {
  const { toolCallId, toolName, answeredAs, createdAt, parentCallId } = call;
  const entry = new Entry(toolCallId, toolName, ELIDED, 0, { answeredAs, createdAt, parentCallId });
  entry.status = status;
  entry.result = status === "completed" || status === "failed" ? ELIDED : undefined;
  entry.startedAt = call.startedAt;
  entry.endedAt = call.endedAt;
  entry.outcome = call.outcome;
  entry.code = call.code;
  entry.duplicateOf = call.duplicateOf;
  entry.receipt = call.receipt;
  entry.decidedBy = call.decidedBy;
  return entry;
}

function sizeOf(result: Pick<ToolResult, "content">): number {
  let size = 0;
  for (const block of result.content) size += block.type === "text" ? block.text.length : block.data.length;
  return size;
}

function illegal(what: string): HaftError {
  return coreError("INTERNAL", `The ledger refuses an impossible transition: ${what}.`);
}
