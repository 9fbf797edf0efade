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

/** A call that has its id and its entry in the ledger. */
export type AdmittedCall = Call & { readonly meta: ToolMeta };
/** … whose tool is found. */
export type ResolvedCall = AdmittedCall & { readonly tool: VisibleTool };
/** … whose arguments are canonical and valid. */
export type PreparedCall = ResolvedCall & { readonly isPrepared: true };
/** … that policy lets pass, perhaps if somebody agrees; planned, where a rule or a person depends on that. */
export type PlannedCall = PreparedCall & { readonly decision: Decision };

/** The outcome that ends a call; without one the next stage has it. */
export type Step = ToolOutcome | undefined;
/** A part of the pipeline. It fills in what the next ones need. */
export type Stage = (call: PlannedCall) => Step | Promise<Step>;

/** What is told of a call; which one it is need not be said. */
type CallEvent =
  Extract<SessionEvent, { toolCallId: string }> extends infer Event
    ? Event extends unknown
      ? Omit<Event, "toolCallId" | "toolName" | "parentCallId">
      : never
    : never;

export class Call {
  readonly session: SessionState;
  readonly id: string;
  /** The id it came with, and is answered under. */
  readonly answeredAs: string;
  readonly request: CallRequest;
  readonly options: CallOptions;
  readonly controller: AbortHandle = new AbortController();
  readonly #startedAt = performance.now();

  /** As received until the name is resolved. */
  toolName: string;
  /** The spelling that bound the call to a place (`host_workspace_write`), if it was one. */
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
  /** Of its arguments as they came, where calls are recorded. */
  argsDigest: string | undefined;
  readonly masked: RecordedCall["masked"] = {};
  seq: number | undefined;
  /** The store knows of it before its end, which it therefore learns before the answer. */
  isRecorded = false;
  approvalId: string | undefined;
  onAbort: (() => void) | undefined;
  /** What becomes of it once it is decided, where it was answered as pending. */
  deferredOutcome: Promise<Step> | undefined;
  /** A remark of the kernel that the model reads with the result. */
  note: string | undefined;
  /** Somebody has said yes to this very call: nobody is asked about it twice. */
  isAgreed = false;
  /** It waited for approval when its run was left, and goes on now that the run is continued. */
  isResumed = false;
  #rules: SessionRules | undefined;
  #policy: SessionPolicy | undefined;
  #recorded: PromiseWithResolvers<ToolOutcome> | undefined;
  #storeFailures: Set<StoreFailure> | undefined;
  entered = false;
  /** True once it is decided what became of the call: what the tool still reports is not heard. */
  ended = false;
  /** Ends what it has open to the network. Made by its first way there. */
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

  /** Those it is decided about by: of one policy from its name to its start, whatever happens meanwhile. */
  get rules(): SessionRules {
    return (this.#rules ??= this.session.rules);
  }

  get isOutdated(): boolean {
    return this.rules !== this.session.rules;
  }

  /** Forgets what the rules of before said. What the call would do has not changed, nor what a hook wants. */
  refreshRules(): void {
    this.#rules = this.session.rules;
    this.#policy = undefined;
    this.decision = undefined;
    delete this.meta?.grantIds;
  }

  get policy(): SessionPolicy {
    return (this.#policy ??= this.#rulesForSender());
  }

  /** Those that hold by now for whoever this call answers: what it does next may be forbidden meanwhile. */
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

  /** Aborts when the call or what it is part of is aborted. */
  get signal(): AbortSignal {
    const { controller, options } = this;
    return options.signal ? AbortSignal.any([controller.signal, options.signal]) : controller.signal;
  }

  /** Tells the tool to stop. What becomes of the call is decided by the stage it is in. */
  abort(reason: unknown): void {
    this.controller.abort(reason);
    this.onAbort?.();
  }

  /** The store of approvals failed this call: whoever reads the answer is told, and whoever listens, once of each. */
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
