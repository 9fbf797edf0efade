import type { AbortHandle } from "@haft/utils";
import type { StoreFailure } from "../approvals/subject.ts";
import type { EffectReceipt, HaftError } from "../contract/errors.ts";
import type { SessionEvent } from "../contract/events.ts";
import type { ToolMeta } from "../contract/ledger-port.ts";
import type { CallPlan, ToolEffect } from "../contract/plan.ts";
import type { Decision, SessionPolicy } from "../contract/policy-port.ts";
import type { ToolOutcome } from "../contract/result.ts";
import type { AnyTool } from "../contract/tool.ts";
import { summarizeCall } from "../format/summary.ts";
import type { SessionRules } from "./active-policy.ts";
import type { CallOptions, CallRequest } from "./call-options.ts";
import type { LoopRecord, CallTraits } from "./loop-guard.ts";
import type { RecordedCall } from "./recording/recorded-call.ts";
import type { SessionState } from "./session-state.ts";
import type { VisibleTool } from "./session-view.ts";

export type AdmittedCall = Call & { readonly meta: ToolMeta };
export type ResolvedCall = AdmittedCall & { readonly tool: VisibleTool };
export type PreparedCall = ResolvedCall & { readonly isPrepared: true };
export type PlannedCall = PreparedCall & { readonly decision: Decision };

export type Step = ToolOutcome | undefined;
export type Stage = (call: PlannedCall) => Step | Promise<Step>;

type CallEvent =
  Extract<SessionEvent, { toolCallId: string }> extends infer Event
    ? Event extends unknown
      ? Omit<Event, "toolCallId" | "toolName" | "parentCallId">
      : never
    : never;

export class Call {
  readonly session: SessionState;
  readonly id: string;
  readonly answeredAs: string;
  readonly request: CallRequest;
  readonly options: CallOptions;
  readonly controller: AbortHandle = new AbortController();
  readonly #startedAt = performance.now();

  toolName: string;
  calledAs: string | undefined;
  meta: ToolMeta | undefined;
  refusal: HaftError | undefined;
  tool: VisibleTool | undefined;
  args: Record<string, unknown> = {};
  isPrepared = false;
  plan: CallPlan | undefined;
  askedByHook: { hook: string; reason: string } | undefined;
  decision: Decision | undefined;
  key = "";
  record: LoopRecord | undefined;
  fingerprint: string | undefined;
  readonly received: Pick<CallRequest, "name" | "arguments">;
  argsDigest: string | undefined;
  readonly masked: RecordedCall["masked"] = {};
  seq: number | undefined;
  /** The store must get the end before the caller. */
  isRecorded = false;
  approvalId: string | undefined;
  onAbort: (() => void) | undefined;
  deferredOutcome: Promise<Step> | undefined;
  note: string | undefined;
  isAgreed = false;
  isResumed = false;
  #rules: SessionRules | undefined;
  #policy: SessionPolicy | undefined;
  #recorded: PromiseWithResolvers<ToolOutcome> | undefined;
  #storeFailures: Set<StoreFailure> | undefined;
  #enteredAt: number | undefined;
  /** Later reports of the tool are ignored. */
  ended = false;
  connections: AbortHandle | undefined;
  nesting = 0;
  index = 0;

  constructor(
    session: SessionState,
    id: string,
    request: CallRequest,
    options: CallOptions,
    answeredAs = id,
  ) {
    this.session = session;
    this.id = id;
    this.answeredAs = answeredAs;
    this.request = request;
    this.received = { name: request.name, arguments: request.arguments };
    this.options = options;
    this.toolName = request.name;
  }

  markAdmitted(meta: ToolMeta): AdmittedCall {
    this.meta = meta;
    return this as AdmittedCall;
  }

  isResolved(): this is ResolvedCall {
    return this.tool !== undefined;
  }

  /** One policy decides until the start, even if it is replaced. */
  get rules(): SessionRules {
    return (this.#rules ??= this.session.rules);
  }

  get isOutdated(): boolean {
    return this.rules !== this.session.rules;
  }

  refreshRules(): void {
    this.#rules = this.session.rules;
    this.#policy = undefined;
    this.decision = undefined;
    delete this.meta?.grantIds;
  }

  get policy(): SessionPolicy {
    return (this.#policy ??= this.#rulesForSender());
  }

  get currentPolicy(): SessionPolicy {
    return this.isOutdated ? this.#rulesForSender(this.session.rules) : this.policy;
  }

  #rulesForSender(rules = this.rules): SessionPolicy {
    const { session, options } = this;
    const { sender } = options;
    return sender === undefined ? rules.policy : rules.basePolicy.forSession({ ...session.facts, sender });
  }

  waitForOutcome(): Promise<ToolOutcome> {
    return (this.#recorded ??= Promise.withResolvers()).promise;
  }

  resolveOutcome(outcome: ToolOutcome): void {
    this.#recorded?.resolve(outcome);
  }

  get signal(): AbortSignal {
    const { controller, options } = this;
    return options.signal ? AbortSignal.any([controller.signal, options.signal]) : controller.signal;
  }

  abort(reason: unknown): void {
    this.controller.abort(reason);
    this.onAbort?.();
  }

  /** Reports a failure of the approval store, once per code. */
  storeFailed(code: StoreFailure, message: string): void {
    if (this.#storeFailures?.has(code) === true) return;
    (this.#storeFailures ??= new Set()).add(code);
    this.note ??= message;
    this.emit({ type: "tool-warning", code, message });
  }

  emit(event: CallEvent): void {
    const { session, answeredAs: toolCallId, toolName, options } = this;
    if (!session.isObserved) return;
    const { parentCallId: id } = options;
    const parent = id === undefined ? {} : { parentCallId: session.running.find(id)?.answeredAs ?? id };
    session.emit({ ...event, toolCallId, toolName, ...parent });
  }

  /** The tool begins to run. */
  enter(): void {
    this.#enteredAt = performance.now();
  }

  get entered(): boolean {
    return this.#enteredAt !== undefined;
  }

  /** Returns how long the tool ran, without approvals; 0 if it did not. */
  runMs(): number {
    return this.#enteredAt === undefined ? 0 : performance.now() - this.#enteredAt;
  }

  elapsedMs(): number {
    return Math.round((performance.now() - this.#startedAt) * 1000) / 1000;
  }

  changesThings(): boolean {
    return this.tool?.tool.effects.some((effect) => effect !== "read") ?? false;
  }

  traits(): CallTraits {
    const tool = this.tool?.tool;
    if (!tool) return NO_TRAITS;
    return { isPoll: isPoll(tool, this.args), changesWorld: tool.effects.some(changesWorld) };
  }

  getFailureReceipt(): EffectReceipt {
    return this.entered && this.changesThings() ? "unknown" : "none";
  }

  summary(): string {
    return summarizeCall(this.toolName, this.args, { format: "plain" });
  }
}

const NO_TRAITS: CallTraits = { isPoll: false, changesWorld: false };

function isPoll({ progress }: AnyTool, args: Readonly<Record<string, unknown>>): boolean {
  if (typeof progress?.isPoll !== "function") return progress?.isPoll ?? false;
  try {
    return progress.isPoll(args);
  } catch {
    return false;
  }
}

function changesWorld(effect: ToolEffect): boolean {
  return effect === "write" || effect === "execute";
}
