import { sha256 } from "@haft/utils";
import { basename, dirname } from "node:path";
import { createMemoryApprovals } from "../approvals/memory-approvals.ts";
import type { RunningCall, WaitingCall } from "../approvals/waiting-call.ts";
import type { ToolSet } from "../compose/registry.ts";
import type { ApprovalStore, Approver } from "../contract/approval-port.ts";
import { getErrorMessage } from "../contract/errors.ts";
import type { CallMiddleware, SessionEvent, SessionListener } from "../contract/events.ts";
import type { ToolHook } from "../contract/hooks.ts";
import type { Fence, PastCall } from "../contract/ledger-port.ts";
import type { SessionFacts, SessionPolicy } from "../contract/policy-port.ts";
import type { Logger, Workspace } from "../contract/ports.ts";
import type { ToolOutcome } from "../contract/result.ts";
import type { ModelFacts } from "../contract/tool.ts";
import { type ActivePolicy, getSessionRules, type SessionRules } from "./active-policy.ts";
import { CallHistory } from "./call-history.ts";
import type { CallOptions, CallRequest } from "./call-options.ts";
import type { Network } from "./fetch/network-port.ts";
import type { ResultLimits } from "./limits/limits.ts";
import { createSpool, type Spool } from "./limits/spool.ts";
import { LoopGuard, type LoopLimits } from "./loop-guard.ts";
import type { Recorder } from "./recording/recorder.ts";
import { newRunId } from "./recording/run-ids.ts";
import type { SessionView } from "./session-view.ts";

const SPOOL_ROOT = "results";

export interface SessionSettings {
  readonly limits: ResultLimits;
  readonly loopLimits: LoopLimits | undefined;
  readonly deadlineMs: number;
  readonly abortGraceMs: number;
  readonly approvalTimeoutMs: number;
  readonly approvalMode: "wait" | "pending" | "deny";
  /** `undefined`: each session has a memory store. */
  readonly approvals: ApprovalStore | undefined;
  readonly hooks: readonly ToolHook[];
  readonly policy: ActivePolicy;
  readonly spoolDir: string | undefined;
  readonly approver: Approver | undefined;
  readonly logger: Logger;
  readonly run: (session: SessionState, request: CallRequest, options: CallOptions) => Promise<ToolOutcome>;
}

export class SessionState {
  readonly key: string;
  readonly facts: SessionFacts;
  readonly model: ModelFacts;
  workspace: Workspace;
  /** Separate from the workspace, which would give tools access without policy. */
  readonly network: Network | undefined;
  readonly fence: Fence | undefined;
  readonly settings: SessionSettings;
  closed = false;
  #rules: SessionRules;
  recorder: Recorder | undefined;
  /** Settles when calls from before a resume wait again or continue. */
  continued: Promise<void> | undefined;
  #listeners: SessionListener[] | undefined;
  #surrounds: readonly CallMiddleware[] | undefined;
  #ledger: CallHistory | undefined;
  #guard: LoopGuard | undefined;
  #spool: Spool | undefined;
  #spoolIsMounted: boolean | undefined;
  #running: RunningCalls | undefined;
  #waiting: Map<string, WaitingCall> | undefined;
  #approvals: ApprovalStore | undefined;
  #isGuardReset = false;
  #made: number | undefined;
  #openingId: string | undefined;

  constructor(
    parts: Pick<SessionState, "key" | "facts" | "model" | "workspace" | "settings"> & {
      tools: ToolSet;
      network?: Network | undefined;
      fence?: Fence | undefined;
    },
  ) {
    this.key = parts.key;
    this.facts = parts.facts;
    this.model = parts.model;
    this.workspace = parts.workspace;
    this.network = parts.network;
    this.fence = parts.fence;
    this.settings = parts.settings;
    this.#rules = getSessionRules(parts.settings.policy.current, parts.facts, parts.tools);
  }

  get rules(): SessionRules {
    const { current } = this.settings.policy;
    if (this.#rules.basePolicy !== current)
      this.#rules = getSessionRules(current, this.facts, this.#rules.tools);
    return this.#rules;
  }

  replaceTools(tools: ToolSet): void {
    this.#rules = getSessionRules(this.settings.policy.current, this.facts, tools);
  }

  get view(): SessionView {
    return this.rules.view;
  }

  get policy(): SessionPolicy {
    return this.rules.policy;
  }

  get callHistory(): CallHistory {
    return (this.#ledger ??= new CallHistory(this.past));
  }

  /** Also finds duplicates, so it exists without loop limits. */
  get guard(): LoopGuard {
    if (this.#guard === undefined) {
      this.#guard = new LoopGuard(this.settings.loopLimits);
      if (!this.#isGuardReset) this.#guard.restore(this.past);
    }
    return this.#guard;
  }

  get spool(): Spool {
    this.#spool ??= createSpool(this.settings.spoolDir === undefined ? {} : { dir: this.settings.spoolDir });
    return this.#spool;
  }

  mountSpooledFile(spooled: string): string {
    this.#spoolIsMounted ??= this.#mountSpool(dirname(spooled));
    return this.#spoolIsMounted ? `${SPOOL_ROOT}:${basename(spooled)}` : spooled;
  }

  #mountSpool(folder: string): boolean {
    try {
      const extended = this.workspace.withRoot?.(SPOOL_ROOT, folder);
      this.workspace = extended ?? this.workspace;
      return extended !== undefined;
    } catch (thrown) {
      // The host has another root of that name.
      this.settings.logger.warn("The session cannot read the cut part of a result.", {
        reason: getErrorMessage(thrown),
      });
      return false;
    }
  }

  get running(): RunningCalls {
    return (this.#running ??= new RunningCalls());
  }

  get waiting(): Map<string, WaitingCall> {
    return (this.#waiting ??= new Map());
  }

  get approvals(): ApprovalStore {
    return (this.#approvals ??= this.settings.approvals ?? createMemoryApprovals());
  }

  resetGuard(): void {
    this.#isGuardReset = true;
    this.#guard = undefined;
  }

  nextCallId(): string {
    let made = this.#made ?? latestOf(this.past);
    do made++;
    while (this.callHistory.get(`call_${made}`));
    this.#made = made;
    return `call_${made}`;
  }

  get runId(): string | undefined {
    return this.recorder?.run?.record.runId;
  }

  get openingId(): string {
    return (this.#openingId ??= this.runId ?? newRunId());
  }

  get past(): readonly PastCall[] {
    return this.recorder?.past ?? [];
  }

  /** Hashes the key, to hide it in the record. */
  identity(key: string): string {
    return this.recorder === undefined ? key : sha256(key, "base64url");
  }

  get isObserved(): boolean {
    return this.#listeners !== undefined && this.#listeners.length > 0;
  }

  subscribe(listener: SessionListener): () => void {
    this.#listeners = [...(this.#listeners ?? []), listener];
    return () => {
      this.#listeners = this.#listeners?.filter((other) => other !== listener);
    };
  }

  get middleware(): readonly CallMiddleware[] | undefined {
    return this.#surrounds;
  }

  addMiddleware(around: CallMiddleware): () => void {
    this.#surrounds = [...(this.#surrounds ?? []), around];
    return () => {
      const left = this.#surrounds?.filter((other) => other !== around) ?? [];
      this.#surrounds = left.length === 0 ? undefined : left;
    };
  }

  emit(event: SessionEvent): void {
    if (!this.#listeners) return;
    for (const listener of this.#listeners) {
      try {
        // The rejection of an async listener would end the process.
        const returned: unknown = listener(event);
        if (returned instanceof Promise)
          returned.catch((thrown: unknown) => this.#listenerThrew(event, thrown));
      } catch (thrown) {
        this.#listenerThrew(event, thrown);
      }
    }
  }

  #listenerThrew({ type }: SessionEvent, thrown: unknown): void {
    this.settings.logger.error("A session listener threw.", { event: type, thrown: getErrorMessage(thrown) });
  }

  async dispose(): Promise<void> {
    await this.#spool?.close();
    this.#listeners = undefined;
  }
}

function latestOf(past: readonly PastCall[]): number {
  let latest = 0;
  for (const { toolCallId } of past) {
    const number = /^call_(\d{1,15})$/.exec(toolCallId)?.[1];
    if (number !== undefined) latest = Math.max(latest, Number(number));
  }
  return latest;
}

class RunningCalls {
  readonly #calls: RunningCall[] = [];

  join(call: RunningCall): void {
    call.index = this.#calls.push(call) - 1;
  }

  leave(call: RunningCall): void {
    const { index } = call;
    if (this.#calls[index] !== call) return;
    const last = this.#calls.pop()!;
    if (last === call) return;
    this.#calls[index] = last;
    last.index = index;
  }

  find(id: string): RunningCall | undefined {
    return this.#calls.find((call) => call.id === id) ?? this.#calls.find((call) => call.answeredAs === id);
  }

  all(): readonly RunningCall[] {
    return [...this.#calls];
  }
}
