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

/** Name of the root under which a session reads what was cut from its results. */
const SPOOL_ROOT = "results";

/** What sessions of one host share. Resolved once, so that a session itself stays small. */
export interface SessionSettings {
  readonly limits: ResultLimits;
  /** `undefined`: the guard is off. */
  readonly loopLimits: LoopLimits | undefined;
  readonly deadlineMs: number;
  /** Milliseconds a tool has, after an abort, to stop and say how far it got. */
  readonly abortGraceMs: number;
  readonly approvalTimeoutMs: number;
  /** What becomes of a call that has to be approved: it waits, is answered as pending, or is refused. */
  readonly approvalMode: "wait" | "pending" | "deny";
  /** `undefined`: each session has a memory of its own. */
  readonly approvals: ApprovalStore | undefined;
  readonly hooks: readonly ToolHook[];
  readonly policy: ActivePolicy;
  readonly spoolDir: string | undefined;
  readonly approver: Approver | undefined;
  readonly logger: Logger;
  /** The pipeline, so that a tool's calls of other tools take the same way. */
  readonly run: (session: SessionState, request: CallRequest, options: CallOptions) => Promise<ToolOutcome>;
}

export class SessionState {
  readonly key: string;
  readonly facts: SessionFacts;
  readonly model: ModelFacts;
  workspace: Workspace;
  /** The way out for its tools. Not a part of the workspace: whoever has that would need no policy. */
  readonly network: Network | undefined;
  readonly fence: Fence | undefined;
  readonly settings: SessionSettings;
  closed = false;
  #rules: SessionRules;
  recorder: Recorder | undefined;
  /** Settles when calls that waited before a resume wait again or go on. Others are taken from then on. */
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

  /** What holds now. They are replaced as one: whoever needs more than one look keeps what it got. */
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

  /** Also the index of duplicates, so it is there when the loop limits are switched off. */
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

  /** Makes a spooled text readable for the session's tools, as a read-only root where possible, and answers its path. */
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
      // The host has a root of that name already; the file is there all the same.
      this.settings.logger.warn("What was cut cannot be read by the session.", {
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

  /** The id of this opening: that of the run that is continued, or the one that a new run gets. */
  get openingId(): string {
    return (this.#openingId ??= this.runId ?? newRunId());
  }

  get past(): readonly PastCall[] {
    return this.recorder?.past ?? [];
  }

  /** Identity of a call. What is recorded must not be readable in it. */
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

  /** What tools are entered inside of, the innermost first; nothing in most sessions. */
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

  /** Tells every listener. A listener that throws is reported and does not disturb the call. */
  emit(event: SessionEvent): void {
    if (!this.#listeners) return;
    for (const listener of this.#listeners) {
      try {
        // An async function is a listener too, and its rejection would end the process.
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

/** The calls of a session that have not ended. Each joins and leaves, few are there at a time, and hardly any is looked for. */
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
