import { checkSender } from "../compose/check-call-options.ts";
import { checkHooks } from "../compose/check-hooks.ts";
import { checkOption, checkOptions, type OptionChecks } from "../compose/check-options.ts";
import type { Registry } from "../compose/registry.ts";
import type { Approver, ApprovalStore } from "../contract/approval-port.ts";
import type { HaftError } from "../contract/errors.ts";
import type { ToolHook } from "../contract/hooks.ts";
import type { Policy, SandboxFacts, Sender, SessionFacts, SessionKind } from "../contract/policy-port.ts";
import type { Logger, Workspace } from "../contract/ports.ts";
import type { PluginToolContext } from "../contract/registration.ts";
import type { ModelFacts } from "../contract/tool.ts";
import { withoutUndefined } from "../contract/without-undefined.ts";
import { coreError } from "../errors.ts";
import type { LedgerStore } from "./ledger.ts";
import { resultLimitsFor } from "./limits/limits.ts";
import { DEFAULT_LOOP_LIMITS, type LoopLimits } from "./loop-guard.ts";
import { runCall } from "./run-call.ts";
import { SessionState, type SessionSettings } from "./session-state.ts";
import { viewOf } from "./session-view.ts";
import { Session, type SessionPreview } from "./session.ts";

/** What every session of a host has in common. */
export interface SessionEnvironment {
  registry: Registry;
  policy: Policy;
  /** Asked about calls that need approval; they wait for its decision. */
  approver?: Approver;
  /**
   * What becomes of a call that needs approval. `wait`: until somebody decides, the approver or
   * `resolveApproval` or the store (the default with an approver). `pending`: it is answered as pending at
   * once, and goes on when it is decided (the default without). `deny`: nobody is there, so it is refused.
   */
  approvalMode?: "wait" | "pending" | "deny";
  /** Where grants and requests are kept. Default: in memory, for each session its own. */
  approvals?: ApprovalStore;
  /** What is done around every call, in this order. */
  hooks?: readonly ToolHook[];
  store?: LedgerStore;
  /** `false` switches the loop guard off. */
  loopGuard?: Partial<LoopLimits> | false;
  /** Characters of one result that reach the model; derived from the model's context by default. */
  maxResultCharacters?: number;
  /** Milliseconds a call may run. Default 0: none, tools bound themselves. */
  deadlineMs?: number;
  /** Milliseconds a tool has to stop after an abort. Default 2,000. */
  abortGraceMs?: number;
  /** Milliseconds there are for a decision. Default 30 minutes. */
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
  /** The group or room of the conversation, as the host derived it. */
  groupId?: string;
  /** Whose messages the session answers, where that is one person; otherwise tell it with each call. */
  sender?: Sender | "system";
  /** Facts of the session that opens this one for a part of its work: its rules hold here too. */
  parent?: SessionFacts;
  /** What the sandbox of the workspace keeps from its commands. */
  sandbox?: SandboxFacts;
  model?: Partial<ModelFacts>;
  /** Ends what belongs to this session alone, such as its processes. Called once, when no call runs any more. */
  dispose?: () => Promise<void>;
}

const KINDS: readonly SessionKind[] = ["main", "group", "sandboxed"];

const FACTS: OptionChecks<SessionFacts> = {
  kind: KINDS,
  agentId: "text",
  model: "text",
  messageChannel: "text",
  groupId: "text",
  sender: "any",
  parent: "any",
  sandbox: "any",
};

/** Checks of what a host hands through to {@link SessionFactory.open} as it is. */
export const SESSION_OPTIONS = {
  kind: KINDS,
  workspace: "any",
  sessionKey: "text",
  agentId: "text",
  agentDir: "text",
  messageChannel: "text",
  groupId: "text",
  sender: "any",
  parent: "any",
  sandbox: "any",
  model: { name: "text", contextTokens: "any", images: "any" },
  dispose: "any",
} as const satisfies OptionChecks<SessionOptions>;

/** Checks of what a host hands through to {@link SessionFactory} as it is. */
export const SESSION_ENVIRONMENT = {
  registry: "any",
  policy: "any",
  approver: "any",
  approvalMode: ["wait", "pending", "deny"],
  approvals: "any",
  hooks: "any",
  store: "any",
  loopGuard: "any",
  maxResultCharacters: "any",
  deadlineMs: "milliseconds",
  abortGraceMs: "milliseconds",
  approvalTimeoutMs: "milliseconds",
  spoolDir: "text",
  logger: "any",
} as const satisfies OptionChecks<SessionEnvironment>;

const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} };
const DEFAULT_MODEL: ModelFacts = { name: "", contextTokens: 128_000, images: true };

/** Opens sessions of one environment. */
export class SessionFactory {
  readonly #environment: SessionEnvironment;
  readonly #settings = new Map<number, SessionSettings>();
  #opened = 0;

  /** @throws HaftError `INVALID_OPTIONS` */
  constructor(environment: SessionEnvironment) {
    checkOptions("SessionFactory", environment, SESSION_ENVIRONMENT);
    const { approver } = environment;
    if (approver !== undefined)
      checkOption("approver: ask", (approver as { ask?: unknown } | null)?.ask, "function");
    checkHooks(environment.hooks);
    this.#environment = environment;
  }

  /** @throws HaftError `INVALID_OPTIONS`, `SANDBOX_REQUIRED`, and what the store throws */
  async open(options: SessionOptions): Promise<Session> {
    checkSession(options);
    if (options.kind === "sandboxed" && options.workspace.describe().place === "host") throw noSandbox();
    return this.#compose(options);
  }

  /** What a session would see and may do, without opening one: for catalogues and explanations. */
  async preview(options: SessionOptions): Promise<SessionPreview> {
    checkSession(options);
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
    const facts = factsOf(options, { agentId, model: model.name, messageChannel });
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
    return new Session(state, registry, lifetime, options.dispose);
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
      approvalMode: environment.approvalMode ?? (environment.approver ? "wait" : "pending"),
      approvals: environment.approvals,
      hooks: environment.hooks ?? [],
      policy: environment.policy,
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

/** What decides about rights must be what it says it is: a parent that is none would hold nothing back. */
function checkSession(options: SessionOptions): void {
  checkOptions("openSession", options, SESSION_OPTIONS);
  const { kind, sender, parent } = options;
  checkOption("openSession: kind", kind, KINDS);
  checkSender("openSession: sender", sender);
  if (parent === undefined) return;
  // A session is not its facts: those are `session.facts`.
  checkOptions("openSession: parent", parent, FACTS);
  checkOption("openSession: parent (the facts of a session): kind", parent.kind, KINDS);
}

function factsOf(
  { kind, groupId, sender, parent, sandbox }: SessionOptions,
  known: Pick<SessionFacts, "agentId" | "model" | "messageChannel">,
): SessionFacts {
  return withoutUndefined({
    kind,
    ...known,
    groupId,
    sender,
    parent,
    sandbox,
  });
}

function noSandbox(): HaftError {
  return coreError(
    "SANDBOX_REQUIRED",
    "A sandboxed session needs a sandboxed workspace, and this one is on the host.",
    {
      fix: "Open it with a sandbox workspace, or open a group session on the host. There is no fallback.",
    },
  );
}
