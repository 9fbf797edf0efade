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

/** The part of a session that runs nothing. */
export type SessionPreview = Pick<Session, "facts" | "tools" | "missing" | "diagnostics" | "explain">;

/**
 * The tools of one conversation: what the model is offered, and {@link Session.call}, the only way to call them.
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

  /** @internal Made by `SessionFactory.open`. */
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

  /** @internal Where its tools come from. */
  get registry(): Registry {
    return this.#registry;
  }

  /** @internal Composes its tools from another registry, and answers what puts them in force for its next calls. */
  async replaceRegistry(registry: Registry): Promise<() => void> {
    const { keys } = this.#origin;
    const tools =
      registry.cached(keys) ?? (await registry.compose(() => this.#origin.getSessionInfo(), keys));
    return () => {
      this.#registry = registry;
      this.#state.replaceTools(tools);
    };
  }

  /** The identity of the conversation. */
  get key(): string {
    return this.#state.key;
  }

  /** What policy knows of the session. A session within this one has it as its `parent`. */
  get facts(): SessionFacts {
    return this.#state.facts;
  }

  /** Returns the tools to advertise to the model. */
  tools(): readonly ToolDefinition[] {
    return this.#state.view.definitions;
  }

  /** Returns the tools that are registered but not offered, with reasons. */
  missing(): MissingTool[] {
    return this.#state.view.missing();
  }

  /** Returns the tools that could not be made, with reasons. */
  diagnostics(): readonly ToolDiagnostic[] {
    return this.#state.view.diagnostics;
  }

  /**
   * After a resume, resolves when waiting calls wait again or run. Calls that come before that are accepted only then.
   * Never rejects.
   */
  async continued(): Promise<void> {
    await this.#state.continued;
  }

  /** Runs one call. It always resolves to an outcome and never rejects. */
  call(request: CallRequest, options?: CallOptions): Promise<ToolOutcome> {
    return runCall(this.#state, request, options ?? {});
  }

  /**
   * Explains what would happen to a tool or a call and which rule decides, without running anything.
   *
   * @throws HaftError `INVALID_OPTIONS`
   */
  async explain(toolName: string, args?: unknown, options: ExplainOptions = {}): Promise<CallExplanation> {
    checkExplainOptions(options);
    const { explainCall } = await import("../explain/explain.ts");
    return explainCall(this.#state, toolName, args, options);
  }

  /** Returns all calls so far, oldest first, with those before a resume. It is the live array and must not be changed. */
  ledger(): readonly Readonly<ToolMeta>[] {
    return this.#state.callHistory.entries;
  }

  /**
   * The name of this opening of the session, which its tools know as `context.runId`. It stays the same until the session
   * is closed.
   */
  get opening(): string {
    return this.#state.openingId;
  }

  /** The run that records its calls, and how often it was opened; `undefined` before the first call and without a store. */
  get run(): { readonly runId: string; readonly epoch: number } | undefined {
    const { runId, epoch } = this.#state.recorder?.run?.record ?? {};
    return runId === undefined || epoch === undefined ? undefined : { runId, epoch };
  }

  /**
   * Returns the complete record of a call of its run, or `undefined` if there is none.
   *
   * @throws HaftError `LEDGER_UNAVAILABLE`
   */
  async findRecord(toolCallId: string): Promise<CallRecord | undefined> {
    return this.#state.recorder?.findRecord(toolCallId);
  }

  /**
   * Writes the records that wait. Never rejects: if the store fails, a `ledger` event reports it and the records are
   * written later.
   */
  async flush(): Promise<void> {
    await this.#state.recorder?.flush();
  }

  /**
   * Restores every file that file tools of this session changed since a call, that call included, as one change. Files that
   * something else changed are conflicts and remain as they are. Changes by commands are not restored; the report names the
   * commands.
   *
   * @throws HaftError `REWIND_UNAVAILABLE`, `INVALID_OPTIONS`, `REWIND_BUSY`, `REWIND_DENIED`, `REWIND_UNAVAILABLE`,
   * `SESSION_CLOSED`, `SESSION_LEASE_LOST`, and what writing files throws; then nothing was changed unless the receipt says otherwise
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
   * Decides about a call that waits for approval, and resolves to its outcome. It works for calls that were answered as
   * pending and for calls that wait for an approver. `allow-always` also grants this exact call or, with `grant:
   * "program"`, the programs it uses here with any arguments. Each approval is resolved once.
   *
   * @throws HaftError `APPROVAL_NOT_FOUND` (a second time, too late, or an unknown id), `INVALID_DECISION` (also for an `allow-always`
   * that cannot be remembered); after `INVALID_DECISION` the call still waits
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
   * Cancels a call that was answered as pending. Its request stays open, and an equal call later finds the answer. It is
   * for callers that are gone by the time somebody decides.
   *
   * @returns `false` if no such call waits, for example because it was decided in the meantime.
   */
  releaseApproval(approvalId: string): boolean {
    return this.#state.waiting.get(approvalId)?.settle({ kind: "released" }) ?? false;
  }

  /** Nothing of this id waits here: why, as far as the store knows. One that fails knows nothing. */
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

  /** Revokes a grant. Resolves to `false` if there is none with this id here. */
  async revokeGrant(id: string): Promise<boolean> {
    const mine = await this.grants();
    return mine.some((grant) => grant.id === id) && this.#state.approvals.revoke(id);
  }

  /** Aborts a running or waiting call. Returns `false` if there is none with this id. */
  abort(toolCallId: string, reason = "aborted."): boolean {
    const call = this.#state.running.find(toolCallId);
    if (!call) return false;
    call.abort(reason);
    return true;
  }

  /**
   * Resets the loop guard. Hosts call it when the user has written something, since repeated calls may then be what the
   * user wants.
   */
  resetLoopGuard(): void {
    this.#state.resetGuard();
  }

  /** Calls a listener with every event from now on. Returns a function that ends it. */
  subscribe(listener: SessionListener): () => void {
    return this.#state.subscribe(listener);
  }

  /**
   * Runs the code of tools inside a function, such as a trace. Returns a function that ends it. The last one added is
   * outermost.
   */
  addMiddleware(around: CallMiddleware): () => void {
    return this.#state.addMiddleware(around);
  }

  /** Aborts running calls, waits for them, and refuses later ones. A second call is safe. */
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

  /** As {@link Session.close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** Leaves pending calls that a resumed run can continue; their callers were told nothing else. */
function leaveWaiting({ runId, approvals, waiting, running }: SessionState): void {
  if (runId === undefined || approvals.takeAnswer === undefined) return;
  for (const one of waiting.values()) {
    if (one.call.deferredOutcome !== undefined && one.settle({ kind: "left" })) running.leave(one.call);
  }
}

/** What a session was opened with, for the factories of its tools: of now, and of registries that come after. */
export class SessionOrigin {
  readonly #options: SessionOptions;
  readonly keys: ContextKeys;
  readonly #model: ModelFacts;
  readonly #logger: Logger;
  /** Told to the factories that made tools for it. */
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
