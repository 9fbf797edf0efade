import type { CallOptions, CallRequest } from "./call.ts";
import { HaftError } from "./errors.ts";
import type { SessionListener } from "./events.ts";
import { explainCall, type CallExplanation } from "./explain.ts";
import type { ToolMeta } from "./ledger.ts";
import type { ToolDiagnostic } from "./make-tools.ts";
import { resumeCall, runCall, withdrawCall } from "./pipeline.ts";
import type { ApprovalDecision } from "./approval-port.ts";
import type { SessionFacts } from "./policy-port.ts";
import type { Registry } from "./registry.ts";
import type { ToolOutcome } from "./result.ts";
import type { SessionState } from "./session-state.ts";
import type { MissingTool, ToolDefinition } from "./session-view.ts";

const DECISIONS: readonly ApprovalDecision[] = ["allow-once", "allow-always", "deny"];

/** The part of a session that runs nothing. */
export type SessionPreview = Pick<Session, "facts" | "tools" | "missing" | "diagnostics" | "explain">;

/** One conversation's tools: what the model sees, and the one way to call it. */
export class Session {
  readonly #state: SessionState;
  readonly #registry: Registry;
  /** Told to the factories that made tools for this session. */
  readonly #lifetime: AbortController | undefined;
  readonly #dispose: (() => Promise<void>) | undefined;
  #closing: Promise<void> | undefined;

  /** Made by `SessionFactory.open`. */
  constructor(
    state: SessionState,
    registry: Registry,
    lifetime: AbortController | undefined,
    dispose: (() => Promise<void>) | undefined,
  ) {
    this.#state = state;
    this.#registry = registry;
    this.#lifetime = lifetime;
    this.#dispose = dispose;
  }

  get key(): string {
    return this.#state.key;
  }

  get facts(): SessionFacts {
    return this.#state.facts;
  }

  /** What to advertise to the model. */
  tools(): readonly ToolDefinition[] {
    return this.#state.view.definitions;
  }

  /** What is registered but not offered, and why. */
  missing(): MissingTool[] {
    return this.#state.view.missing();
  }

  diagnostics(): readonly ToolDiagnostic[] {
    return this.#state.view.diagnostics;
  }

  /** Runs one call. Resolves to an outcome whatever happens; never rejects. */
  call(request: CallRequest, options?: CallOptions): Promise<ToolOutcome> {
    return runCall(this.#state, request, options ?? {});
  }

  /** What would happen to a tool or a call, and which rule decides. Runs nothing. */
  explain(toolName: string, args?: unknown): CallExplanation {
    return explainCall(this.#state, toolName, args);
  }

  /** All calls so far, oldest first: the live array, not to be changed. */
  ledger(): readonly Readonly<ToolMeta>[] {
    return this.#state.ledger.entries;
  }

  /** Calls that wait for {@link resolveApproval}. */
  pendingApprovals(): {
    approvalId: string;
    toolCallId: string;
    toolName: string;
    args: unknown;
    reason: string;
  }[] {
    return Array.from(this.#state.waiting, ([approvalId, call]) => ({
      approvalId,
      toolCallId: call.id,
      toolName: call.toolName,
      args: call.args,
      reason: call.decision!.reason,
    }));
  }

  /**
   * Decides a call that answered `pending`, and runs it if allowed. `allow-always` lets this exact
   * call through for the rest of the session. Each approval is resolved once; a second time, and
   * for an unknown id, it throws `APPROVAL_NOT_FOUND`; for a decision that is none, `INVALID_DECISION`.
   */
  async resolveApproval(approvalId: string, decision: ApprovalDecision): Promise<ToolOutcome> {
    const call = this.#state.settings.approver ? undefined : this.#state.waiting.get(approvalId);
    if (!call) {
      throw new HaftError(
        "APPROVAL_NOT_FOUND",
        `No call waits for approval ${approvalId}: it was decided already, or never asked.`,
        {
          category: "input",
          fix: "List the waiting ones with pendingApprovals().",
        },
      );
    }
    if (!DECISIONS.includes(decision)) {
      throw new HaftError("INVALID_DECISION", `An approval is decided with one of ${DECISIONS.join(", ")}.`, {
        category: "input",
        fix: "Decide again; the call still waits.",
      });
    }
    this.#state.waiting.delete(approvalId);
    return resumeCall(call, decision);
  }

  /** Aborts a running or waiting call. False when there is none with this id. */
  abort(toolCallId: string, reason = "aborted."): boolean {
    const call = this.#state.running.get(toolCallId);
    if (!call) return false;
    call.abort(reason);
    if (this.#state.settings.approver) return true;
    for (const [approvalId, waiting] of this.#state.waiting) {
      if (waiting !== call) continue;
      this.#state.waiting.delete(approvalId);
      withdrawCall(call, reason);
    }
    return true;
  }

  /** Forgets what the loop guard saw. Call it when the user has spoken: a repeat is then what they asked for. */
  resetLoopGuard(): void {
    this.#state.resetGuard();
  }

  /** Every event from now on; returns the way to stop. */
  subscribe(listener: SessionListener): () => void {
    return this.#state.subscribe(listener);
  }

  /** Aborts what runs, waits for it, and refuses further calls. Safe to call twice. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    const state = this.#state;
    state.closed = true;
    const running = [...state.running.values()];
    const recorded = running.map((call) => new Promise<void>((resolve) => (call.onRecorded = resolve)));
    for (const call of running) this.abort(call.id, "the session was closed.");
    await Promise.all(recorded);
    this.#lifetime?.abort();
    await this.#dispose?.();
    this.#registry.release({
      agentId: state.facts.agentId,
      sessionKey: state.key,
      messageChannel: state.facts.messageChannel,
    });
    state.emit({ type: "session-closed", sessionKey: state.key });
    await state.dispose();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
