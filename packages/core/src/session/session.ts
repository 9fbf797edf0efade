import type { AbortHandle } from "@haft/utils";
import { approvalNotFoundError } from "../approvals/approval-not-found-error.ts";
import { requireAnswer, requireOffer } from "../approvals/read-answer.ts";
import type { ToolDiagnostic } from "../compose/build-tools.ts";
import type { SessionInfo } from "../compose/factory-context.ts";
import type { ContextKeys, Registry } from "../compose/registry.ts";
import type {
  ApprovalAnswer,
  ApprovalDecision,
  ApprovalGrant,
  ApprovalRequestRecord,
} from "../contract/approval-port.ts";
import type { HaftError } from "../contract/errors.ts";
import type { CallMiddleware, SessionListener } from "../contract/events.ts";
import type { CallRecord, ToolMeta } from "../contract/ledger-port.ts";
import type { SessionFacts } from "../contract/policy-port.ts";
import type { Logger } from "../contract/ports.ts";
import type { ToolOutcome } from "../contract/result.ts";
import type { ModelFacts } from "../contract/tool.ts";
import type { CallExplanation } from "../explain/call-explanation.ts";
import {
  type CallOptions,
  type CallRequest,
  checkExplainOptions,
  type ExplainOptions,
} from "../kernel/call-options.ts";
import { runCall } from "../kernel/run-call.ts";
import type { SessionState } from "../kernel/session-state.ts";
import type { MissingTool, ToolDefinition } from "../kernel/session-view.ts";
import type { Rewind, RewindOptions, RewindReport } from "./rewind-report.ts";
import type { SessionEnvironment, SessionOptions } from "./session-options.ts";

/** Contains the part of a session that runs nothing. */
export type SessionPreview = Pick<Session, "facts" | "tools" | "missing" | "diagnostics" | "explain">;

/**
 * Offers the tools of a conversation, for {@link Session.call}.
 *
 * @example
 * ```ts
 * import type { Session } from "@haft/core/kernel";
 *
 * // Runs what a model asked for, and returns what the model reads.
 * export async function answer(session: Session, name: string, args: string) {
 *   const outcome = await session.call({ name, arguments: args });
 *   if (outcome.kind === "pending") console.log(`Waits for approval ${outcome.approvalId}.`);
 *   return outcome.content;
 * }
 * ```
 */
export class Session {
  readonly #state: SessionState;
  #registry: Registry;
  readonly #origin: SessionOrigin;
  readonly #dispose: (() => Promise<void>) | undefined;
  readonly #rewind: Rewind | undefined;
  #closing: Promise<void> | undefined;

  /** @internal Created by `SessionFactory.open`. */
  constructor(
    state: SessionState,
    registry: Registry,
    origin: SessionOrigin,
    { dispose, rewind }: Pick<SessionOptions, "dispose"> & Pick<SessionEnvironment, "rewind">,
  ) {
    this.#state = state;
    this.#registry = registry;
    this.#origin = origin;
    this.#dispose = dispose;
    this.#rewind = rewind;
  }

  /** @internal */
  get registry(): Registry {
    return this.#registry;
  }

  /** @internal Composes tools from another registry, and returns a function that activates them. */
  async replaceRegistry(registry: Registry): Promise<() => void> {
    const { keys } = this.#origin;
    const tools =
      registry.cached(keys) ?? (await registry.compose(() => this.#origin.getSessionInfo(), keys));
    return () => {
      this.#registry = registry;
      this.#state.replaceTools(tools);
    };
  }

  /** Identifies the conversation. */
  get key(): string {
    return this.#state.key;
  }

  /** Describes the session for policy. */
  get facts(): SessionFacts {
    return this.#state.facts;
  }

  /** Returns the tools for the model. */
  tools(): readonly ToolDefinition[] {
    return this.#state.view.definitions;
  }

  /** Returns registered tools that are not offered, with reasons. */
  missing(): MissingTool[] {
    return this.#state.view.missing();
  }

  /** Returns failed tools, with reasons. */
  diagnostics(): readonly ToolDiagnostic[] {
    return this.#state.view.diagnostics;
  }

  /** Resolves after a resume when waiting calls wait again or run; never rejects. New calls are accepted only then. */
  async continued(): Promise<void> {
    await this.#state.continued;
  }

  /** Runs one call. Always resolves to an outcome. */
  call(request: CallRequest, options?: CallOptions): Promise<ToolOutcome> {
    return runCall(this.#state, request, options ?? {});
  }

  /**
   * Explains the outcome for a tool or call, without running anything.
   *
   * @throws HaftError `INVALID_OPTIONS`
   */
  async explain(toolName: string, args?: unknown, options: ExplainOptions = {}): Promise<CallExplanation> {
    checkExplainOptions(toolName, options);
    const { explainCall } = await import("../explain/explain.ts");
    return explainCall(this.#state, toolName, args, options);
  }

  /** Returns all calls, oldest first, in a live array, which must not be changed. */
  ledger(): readonly Readonly<ToolMeta>[] {
    return this.#state.callHistory.entries;
  }

  /** Identifies this opening of the session, as `context.runId` does. */
  get opening(): string {
    return this.#state.openingId;
  }

  /** Identifies the recorded run and its opening; `undefined` before the first call and without a store. */
  get run(): { readonly runId: string; readonly epoch: number } | undefined {
    const { runId, epoch } = this.#state.recorder?.run?.record ?? {};
    return runId === undefined || epoch === undefined ? undefined : { runId, epoch };
  }

  /**
   * Returns the complete record of a call, or `undefined`.
   *
   * @throws HaftError `LEDGER_UNAVAILABLE`
   */
  async findRecord(toolCallId: string): Promise<CallRecord | undefined> {
    return this.#state.recorder?.findRecord(toolCallId);
  }

  /** Writes waiting records. Never rejects: a `ledger` event reports a failed store. */
  async flush(): Promise<void> {
    await this.#state.recorder?.flush();
  }

  /**
   * Restores, as one change, every file that file tools of this session changed since a call, including that call. Files that something
   * else changed remain, as conflicts. Changes by commands remain; the report names the commands.
   *
   * @throws HaftError `REWIND_UNAVAILABLE`, `INVALID_OPTIONS`, `REWIND_BUSY`, `REWIND_DENIED`, `SESSION_CLOSED`, `SESSION_LEASE_LOST`, and
   * errors of writing files; nothing was changed unless the receipt says otherwise
   */
  async rewind(toolCallId: string, options: RewindOptions = {}): Promise<RewindReport> {
    const { rewindSession } = await import("./rewind.ts");
    return rewindSession(this.#state, this.#rewind, toolCallId, options);
  }

  /** Returns the calls that wait for a decision, oldest first. */
  pendingApprovals(): readonly ApprovalRequestRecord[] {
    return Array.from(this.#state.waiting.values(), ({ request }) => request);
  }

  /**
   * Decides about a pending or waiting call, once, and resolves to its outcome. `allow-always` also grants this exact call or, with `grant:
   * "program"`, its programs here with any arguments.
   *
   * @throws HaftError `APPROVAL_NOT_FOUND` (a second time, too late, or an unknown id), `INVALID_DECISION` (also if `allow-always` cannot
   * be stored); after `INVALID_DECISION` the call still waits
   */
  async resolveApproval(
    approvalId: string,
    decision: ApprovalDecision | ApprovalAnswer,
  ): Promise<ToolOutcome> {
    const waiting = this.#state.waiting.get(approvalId);
    if (!waiting) throw await this.#notFound(approvalId);
    const answer = requireAnswer(decision);
    requireOffer(waiting.request, answer);
    const recorded = waiting.call.waitForOutcome();
    waiting.settle({ kind: "answered", answer });
    return recorded;
  }

  /**
   * Cancels a pending call. Its request stays open, and an equal call finds the answer.
   *
   * @returns `false` if no such call waits.
   */
  releaseApproval(approvalId: string): boolean {
    return this.#state.waiting.get(approvalId)?.settle({ kind: "released" }) ?? false;
  }

  async #notFound(approvalId: string): Promise<HaftError> {
    const { approvals } = this.#state;
    if (approvals.find === undefined) return approvalNotFoundError(approvalId);
    const found = await approvals.find(approvalId).catch(() => "untold" as const);
    return approvalNotFoundError(approvalId, found === "untold" ? undefined : (found?.state ?? "unknown"));
  }

  /** Returns the grants for this session. */
  grants(): Promise<readonly ApprovalGrant[]> {
    const { approvals, facts, key } = this.#state;
    return approvals.grants({ agentId: facts.agentId, sessionKey: key });
  }

  /** Revokes a grant. Resolves to `false` if it is missing. */
  async revokeGrant(id: string): Promise<boolean> {
    const here = await this.grants();
    return here.some((grant) => grant.id === id) && this.#state.approvals.revoke(id);
  }

  /** Aborts a call. Returns `false` for an unknown id. */
  abort(toolCallId: string, reason = "aborted."): boolean {
    const call = this.#state.running.find(toolCallId);
    if (!call) return false;
    call.abort(reason);
    return true;
  }

  /** Resets the loop guard, after user input. */
  resetLoopGuard(): void {
    this.#state.resetGuard();
  }

  /** Calls a listener with every later event. Returns a function that ends this. */
  subscribe(listener: SessionListener): () => void {
    return this.#state.subscribe(listener);
  }

  /** Runs tools inside a function; the last function is outermost. Returns a function that removes it. */
  addMiddleware(around: CallMiddleware): () => void {
    return this.#state.addMiddleware(around);
  }

  /** Aborts running calls, waits for them, and refuses later calls. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    const state = this.#state;
    state.closed = true;
    if (state.continued !== undefined) await state.continued;
    leaveWaiting(state);
    const running = state.running.all();
    const recorded = running.map((call) => call.waitForOutcome());
    for (const call of running) this.abort(call.id, "the session was closed.");
    await Promise.all(recorded);
    this.#origin.lifetime?.abort();
    await this.#dispose?.();
    this.#registry.release(this.#origin.keys);
    await state.recorder?.close();
    state.emit({ type: "session-closed", sessionKey: state.key });
    await state.dispose();
  }

  /** Closes the session, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function leaveWaiting({ runId, approvals, waiting, running }: SessionState): void {
  if (runId === undefined || approvals.takeAnswer === undefined) return;
  for (const one of waiting.values()) {
    if (one.call.deferredOutcome !== undefined && one.settle({ kind: "left" })) running.leave(one.call);
  }
}

export class SessionOrigin {
  readonly #options: SessionOptions;
  readonly keys: ContextKeys;
  readonly #model: ModelFacts;
  readonly #logger: Logger;
  lifetime: AbortHandle | undefined;

  constructor(options: SessionOptions, keys: ContextKeys, model: ModelFacts, logger: Logger) {
    this.#options = options;
    this.keys = keys;
    this.#model = model;
    this.#logger = logger;
  }

  getSessionInfo(): SessionInfo {
    const { workspace, kind, agentDir, groupId } = this.#options;
    const { cwd } = workspace.describe();
    return {
      ...this.keys,
      workspaceDir: cwd,
      agentDir: agentDir ?? cwd,
      sessionKind: kind,
      groupId,
      model: this.#model,
      sandboxed: kind === "sandboxed",
      workspace,
      logger: this.#logger,
      signal: (this.lifetime ??= new AbortController()).signal,
    };
  }
}
