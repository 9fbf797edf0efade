import type { CallOptions, CallRequest } from "./call.ts";
import { HaftError } from "./errors.ts";
import type { SessionListener } from "./events.ts";
import { explainCall, type CallExplanation } from "./explain.ts";
import { resultLimitsFor } from "./limits.ts";
import type { LedgerStore, ToolMeta } from "./ledger.ts";
import { DEFAULT_LOOP_LIMITS, type LoopLimits } from "./loop-guard.ts";
import { resumeCall, runCall, withdrawCall } from "./pipeline.ts";
import type {
  ApprovalDecision,
  Approver,
  Logger,
  Policy,
  SessionFacts,
  SessionKind,
  Workspace,
} from "./ports.ts";
import type { PluginToolContext } from "./registration.ts";
import type { ToolDiagnostic } from "./make-tools.ts";
import type { Registry } from "./registry.ts";
import type { ToolOutcome } from "./result.ts";
import { SessionState, type SessionSettings } from "./session-state.ts";
import { viewOf, type MissingTool, type ToolDefinition } from "./session-view.ts";
import type { ModelFacts } from "./tool.ts";

/** What every session of a host has in common. */
export interface SessionEnvironment {
  registry: Registry;
  policy: Policy;
  /** Waits for a person's decision. Without one, calls that need approval answer `pending`. */
  approver?: Approver;
  store?: LedgerStore;
  /** `false` switches the loop guard off. */
  loopGuard?: Partial<LoopLimits> | false;
  /** Characters of one result that reach the model; derived from the model's context by default. */
  maxResultCharacters?: number;
  /** Milliseconds a call may run. Default 0: none, tools bound themselves. */
  deadlineMs?: number;
  /** Milliseconds a tool has to stop after an abort. Default 2,000. */
  abortGraceMs?: number;
  /** Milliseconds an approver has. Default 30 minutes. */
  approvalTimeoutMs?: number;
  /** Where the cut parts of results go. Default: a private folder among the temporary files. */
  spoolDir?: string;
  logger?: Logger;
}

export interface SessionOptions {
  kind: SessionKind;
  workspace: Workspace;
  /** Identity of the conversation; names the ledger in the store. Made up when missing. */
  sessionKey?: string;
  agentId?: string;
  agentDir?: string;
  messageChannel?: string;
  model?: Partial<ModelFacts>;
}

const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} };
const DECISIONS: readonly ApprovalDecision[] = ["allow-once", "allow-always", "deny"];
const DEFAULT_MODEL: ModelFacts = { name: "", contextTokens: 128_000, images: true };

/** Opens sessions of one environment. */
export class SessionFactory {
  readonly #environment: SessionEnvironment;
  readonly #settings = new Map<number, SessionSettings>();
  #opened = 0;

  constructor(environment: SessionEnvironment) {
    this.#environment = environment;
  }

  async open(options: SessionOptions): Promise<Session> {
    if (options.kind === "sandboxed" && options.workspace.describe().place === "host") throw noSandbox();
    return this.#compose(options);
  }

  /** What a session would see and may do, without opening one: for catalogues and explanations. */
  async preview(options: SessionOptions): Promise<SessionPreview> {
    const session = await this.#compose(options);
    // Looking needs nothing that is kept; what the factories hold for the session they can let go.
    await session.close();
    return session;
  }

  async #compose(options: SessionOptions): Promise<Session> {
    const { registry, policy, store, logger } = this.#environment;
    const key = options.sessionKey ?? `session-${++this.#opened}`;
    const agentId = options.agentId ?? "main";
    const messageChannel = options.messageChannel ?? "";
    const model = options.model ? { ...DEFAULT_MODEL, ...options.model } : DEFAULT_MODEL;
    const keys = { agentId, sessionKey: key, messageChannel };
    let lifetime: AbortController | undefined;
    const set =
      registry.cached(keys) ??
      (await registry.compose(
        (): PluginToolContext => ({
          ...keys,
          config: undefined,
          workspaceDir: options.workspace.describe().cwd,
          agentDir: options.agentDir ?? options.workspace.describe().cwd,
          sandboxed: options.kind === "sandboxed",
          workspace: options.workspace,
          logger: logger ?? SILENT,
          signal: (lifetime ??= new AbortController()).signal,
        }),
        keys,
      ));
    const facts: SessionFacts = { kind: options.kind, agentId, model: model.name, messageChannel };
    const sessionPolicy = policy.forSession(facts);
    const past = store ? await store.load(key) : undefined;
    const state = new SessionState(
      {
        key,
        facts,
        model,
        view: viewOf(set, sessionPolicy),
        policy: sessionPolicy,
        workspace: options.workspace,
        settings: this.#settingsFor(model),
      },
      past,
    );
    return new Session(state, registry, lifetime);
  }

  #settingsFor(model: ModelFacts): SessionSettings {
    const known = this.#settings.get(model.contextTokens);
    if (known) return known;
    const { loopGuard, ...environment } = this.#environment;
    const settings: SessionSettings = {
      limits: resultLimitsFor(model.contextTokens, environment.maxResultCharacters),
      loopLimits: loopGuard === false ? undefined : { ...DEFAULT_LOOP_LIMITS, ...loopGuard },
      deadlineMs: environment.deadlineMs ?? 0,
      abortGraceMs: environment.abortGraceMs ?? 2_000,
      approvalTimeoutMs: environment.approvalTimeoutMs ?? 30 * 60_000,
      spoolDir: environment.spoolDir,
      approver: environment.approver,
      store: environment.store,
      logger: environment.logger ?? SILENT,
      run: runCall,
    };
    this.#settings.set(model.contextTokens, settings);
    return settings;
  }
}

/** The part of a session that runs nothing. */
export type SessionPreview = Pick<Session, "facts" | "tools" | "missing" | "diagnostics" | "explain">;

/** One conversation's tools: what the model sees, and the one way to call it. */
export class Session {
  readonly #state: SessionState;
  readonly #registry: Registry;
  /** Told to the factories that made tools for this session. */
  readonly #lifetime: AbortController | undefined;
  #closing: Promise<void> | undefined;

  /** Made by {@link SessionFactory.open}. */
  constructor(state: SessionState, registry: Registry, lifetime?: AbortController) {
    this.#state = state;
    this.#registry = registry;
    this.#lifetime = lifetime;
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

function noSandbox(): HaftError {
  return new HaftError(
    "SANDBOX_REQUIRED",
    "A sandboxed session needs a sandboxed workspace, and this one is on the host.",
    {
      category: "policy",
      fix: "Open it with a sandbox workspace, or open a group session on the host. There is no fallback.",
    },
  );
}
