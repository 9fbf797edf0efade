import type { WaitingCall } from "../approvals/waiting-call.ts";
import type { EffectReceipt, HaftError } from "../contract/errors.ts";
import type { ToolMeta } from "../contract/ledger-port.ts";
import type { CallPlan } from "../contract/plan.ts";
import type { Decision, Sender, SessionPolicy } from "../contract/policy-port.ts";
import type { ToolOutcome } from "../contract/result.ts";
import type { ToolUpdate } from "../contract/tool.ts";
import { summarizeCall } from "../format/summary.ts";
import type { CallRecord } from "./loop-guard.ts";
import type { SessionState } from "./session-state.ts";
import type { VisibleTool } from "./session-view.ts";

/** What a model asks for, as it arrives. */
export interface CallRequest {
  /** The provider's id of the call. One is made up when it is missing. */
  id?: string;
  name: string;
  /** The arguments, or their JSON text as the model wrote it. */
  arguments?: unknown;
}

export interface CallOptions {
  /** Aborts the call. */
  signal?: AbortSignal;
  onUpdate?: ToolUpdate;
  /** Milliseconds; overrides the tool's own deadline and the session's. 0 = none. */
  deadlineMs?: number;
  /** The call of another tool that makes this one. */
  parentCallId?: string;
  /** Whose message this call answers, where it is not the session's own sender. */
  sender?: Sender | "system";
}

/** `APPROVALS_UNREADABLE`: what was allowed before does not count. `APPROVAL_NOT_STORED`: nobody elsewhere can decide. */
export type StoreFailure = "APPROVALS_UNREADABLE" | "APPROVAL_NOT_STORED";

/** One call on its way through the pipeline: each stage fills in what the next ones need. */
export class Call {
  readonly session: SessionState;
  readonly id: string;
  readonly request: CallRequest;
  readonly options: CallOptions;
  readonly controller = new AbortController();
  readonly #startedAt = performance.now();

  /** As received until the name is resolved. */
  toolName: string;
  /** The spelling that bound the call to a place (`host_workspace_write`), if it was one. */
  calledAs: string | undefined;
  meta: ToolMeta | undefined;
  /** Why the call cannot be looked at, although it is in the ledger. */
  refusal: HaftError | undefined;
  tool: VisibleTool | undefined;
  /** Canonical and valid, once prepared. */
  args: Record<string, unknown> = {};
  isPrepared = false;
  /** Worked out only where a rule or an approval depends on it. */
  plan: CallPlan | undefined;
  /** What a hook asked a person to decide about. */
  askedByHook: { hook: string; reason: string } | undefined;
  decision: Decision | undefined;
  /** Identity for duplicates and loops. */
  key = "";
  record: CallRecord | undefined;
  /** Set by whoever waits for an abort of the running call. */
  onAbort: (() => void) | undefined;
  /** Set while and after it waits for a decision. */
  waiting: WaitingCall | undefined;
  /** A remark of the kernel that the model reads with the result. */
  note: string | undefined;
  #policy: SessionPolicy | undefined;
  #recorded: PromiseWithResolvers<ToolOutcome> | undefined;
  readonly #storeFailures = new Set<StoreFailure>();
  /** True from the moment the tool's code was entered. */
  entered = false;
  /** True once it is decided what became of the call: what the tool still reports is not heard. */
  ended = false;
  /** How many calls of other tools this one is inside of. */
  nesting = 0;

  constructor(session: SessionState, id: string, request: CallRequest, options: CallOptions) {
    this.session = session;
    this.id = id;
    this.request = request;
    this.options = options;
    this.toolName = request.name;
  }

  /** The rules that hold for whoever this call answers. */
  get policy(): SessionPolicy {
    return (this.#policy ??= this.session.policyFor(this.options.sender));
  }

  /** Resolves when the call is in the books. */
  recorded(): Promise<ToolOutcome> {
    return (this.#recorded ??= Promise.withResolvers()).promise;
  }

  /** Tells everybody who waits that the call is in the books. */
  tellRecorded(outcome: ToolOutcome): void {
    this.#recorded?.resolve(outcome);
  }

  /** Tells the tool to stop. What becomes of the call is decided by the stage it is in. */
  abort(reason: unknown): void {
    this.controller.abort(reason);
    this.onAbort?.();
  }

  /** The store of approvals failed this call: whoever reads the answer is told, and whoever listens, once of each. */
  storeFailed(code: StoreFailure, message: string): void {
    if (this.#storeFailures.has(code)) return;
    this.#storeFailures.add(code);
    this.note ??= message;
    const { id: toolCallId, toolName } = this;
    this.session.emit({ type: "tool-warning", toolCallId, toolName, code, message });
  }

  elapsedMs(): number {
    return Math.round((performance.now() - this.#startedAt) * 1000) / 1000;
  }

  /** Whether the tool can have changed anything. */
  changesThings(): boolean {
    return this.tool?.tool.effects.some((effect) => effect !== "read") ?? false;
  }

  receiptOfFailure(): EffectReceipt {
    return this.entered && this.changesThings() ? "unknown" : "none";
  }

  summary(): string {
    return summarizeCall(this.toolName, this.args, { format: "plain" });
  }
}
