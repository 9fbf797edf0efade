import { HaftError, getErrorMessage } from "../contract/errors.ts";
import type { CallRecord, LedgerStore, RunOpening, ToolMeta } from "../contract/ledger-port.ts";
import type { CallPlan } from "../contract/plan.ts";
import type { Decision } from "../contract/policy-port.ts";
import type { Logger } from "../contract/ports.ts";
import { text, type ToolOutcome } from "../contract/result.ts";
import { CallHistory } from "../kernel/call-history.ts";
import type { RecordedCall } from "../kernel/recording/recorded-call.ts";
import { Recorder } from "../kernel/recording/recorder.ts";
import { newRunId } from "../kernel/recording/run-ids.ts";

const REWIND = "rewind";

export function isRewind({
  toolName,
  tool,
  changes,
}: Pick<CallRecord, "toolName" | "tool" | "changes">): boolean {
  return toolName === REWIND && tool === undefined && changes === true;
}

export interface RewindIntent {
  /** The restored call, and its run if it is another run. */
  readonly args: { readonly to: string; readonly run?: string; readonly skipConflicts?: true };
  /** Names requester and right, as a sentence. */
  readonly reason: string;
}

export interface RewindEnd {
  readonly summary: string;
  readonly details: Record<string, unknown>;
  readonly refused?: string;
  readonly changed: boolean;
}

/** Records a rewind in ledger and store: before the first file and after its end. */
export class RewindCall {
  readonly id: string;
  readonly #recorder: Recorder | undefined;
  readonly #ledger: CallHistory;
  readonly #intent: RewindIntent;
  #call: (RecordedCall & { plan: CallPlan | undefined }) | undefined;

  constructor(recorder: Recorder | undefined, ledger: CallHistory, intent: RewindIntent) {
    this.#recorder = recorder;
    this.#ledger = ledger;
    this.#intent = intent;
    let made = 1;
    while (ledger.get(`${REWIND}_${made}`)) made++;
    this.id = `${REWIND}_${made}`;
  }

  /** @throws HaftError if it cannot be recorded; then no file may change */
  async begin(paths: readonly string[]): Promise<void> {
    const call = this.#made(paths);
    const error = (await this.#recorder?.ready(true)) ?? (await this.#recorder?.recordStart(call));
    if (error !== undefined) throw error;
    this.#ledger.begin(call.meta);
  }

  async end({ summary, details, refused, changed }: RewindEnd): Promise<HaftError | undefined> {
    const { meta } = this.#made([]);
    if (meta.status === "pending") this.#ledger.begin(meta);
    const how: Base = { content: [text(summary)], details, receipt: changed ? "committed" : "none" };
    return this.#end(
      refused === undefined
        ? { kind: "ok", ...how }
        : { kind: "error", code: "REWIND_CONFLICT", category: "operational", ...how },
    );
  }

  async fail(thrown: unknown): Promise<void> {
    if (this.#call === undefined) return;
    const [code, category, receipt] = HaftError.is(thrown)
      ? [thrown.code, thrown.category, thrown.receipt ?? "unknown"]
      : (["INTERNAL", "internal", "unknown"] as const);
    const content = [text(getErrorMessage(thrown))];
    await this.#end({ kind: "error", code, category, content, details: {}, receipt });
  }

  async #end(how: How): Promise<HaftError | undefined> {
    const call = this.#call!;
    const durationMs = Date.now() - call.meta.createdAt;
    const outcome: ToolOutcome = { ...how, toolCallId: this.id, toolName: REWIND, durationMs };
    this.#ledger.end(call.meta, outcome, call.decision?.id);
    return this.#recorder?.recordEnd(call, outcome);
  }

  #made(paths: readonly string[]): RecordedCall {
    const { args, reason } = this.#intent;
    const meta = this.#call?.meta ?? this.#ledger.append(this.id, REWIND, args, JSON.stringify(args).length);
    this.#call ??= recordedCall(meta, { effect: "allow", id: REWIND, reason, trace: [] });
    if (paths.length > 0) {
      const subjects = paths.map((path) => ({ path, relative: path, access: "write" as const }));
      this.#call.plan = { subjects: { paths: subjects } };
    }
    return this.#call;
  }
}

type Base = Pick<ToolOutcome, "content" | "details" | "receipt">;
type How = Base & ({ kind: "ok" } | { kind: "error"; code: string; category: HaftError["category"] });

function recordedCall(meta: ToolMeta, decision: Decision): RecordedCall & { plan: CallPlan | undefined } {
  return {
    id: meta.toolCallId,
    answeredAs: meta.toolCallId,
    toolName: REWIND,
    meta,
    received: { name: REWIND, arguments: meta.args },
    options: {},
    tool: undefined,
    plan: undefined,
    decision,
    key: "",
    fingerprint: undefined,
    argsDigest: undefined,
    isResumed: false,
    masked: {},
    seq: undefined,
    isRecorded: false,
    approvalId: undefined,
    changesThings: () => true,
    traits: () => ({ isPoll: false }),
  };
}

/** Records a rewind without a session in its own run. */
export function openRewindCall(
  store: LedgerStore,
  opening: RunOpening,
  intent: RewindIntent,
  logger: Logger,
): { call: RewindCall; close(): Promise<void> } {
  const parts = { store, opening, newRunId, onStoreFault: "refuse", logger } as const;
  const recorder = new Recorder(parts, { onStore() {}, onLost() {} });
  return { call: new RewindCall(recorder, new CallHistory(), intent), close: () => recorder.close() };
}
