import { withoutUndefined } from "@haft/utils";
import type { Registry } from "../compose/registry.ts";
import type { RunOpening } from "../contract/ledger-port.ts";
import type { Policy, SessionFacts } from "../contract/policy-port.ts";
import type { Logger } from "../contract/ports.ts";
import type { ModelFacts } from "../contract/tool.ts";
import { DEFAULT_ABORT_GRACE_MS, DEFAULT_APPROVAL_MS } from "../defaults.ts";
import { coreError } from "../errors.ts";
import { ActivePolicy } from "../kernel/active-policy.ts";
import { resultLimitsFor } from "../kernel/limits/limits.ts";
import { DEFAULT_LOOP_LIMITS } from "../kernel/loop-guard.ts";
import type { Recording } from "../kernel/recording/start-recording.ts";
import { runCall } from "../kernel/run-call.ts";
import { type SessionSettings, SessionState } from "../kernel/session-state.ts";
import { invalidOptions } from "../parameters/check-options.ts";
import { fenceWorkspace } from "../ports/fence-workspace.ts";
import {
  checkEnvironment,
  checkSession,
  type SessionEnvironment,
  type SessionOptions,
} from "./session-options.ts";
import { Session, SessionOrigin, type SessionPreview } from "./session.ts";

const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} };
const NO_RUN = "Add resume: true, or the id of a run.";
const NO_STORE = "Configure a store for the host, or leave resume out.";
const DEFAULT_MODEL: ModelFacts = Object.freeze({ name: "", contextTokens: 128_000, images: true });

/**
 * Opens sessions with one registry, policy and {@link SessionEnvironment}.
 *
 * @example
 * ```ts run
 * import { Registry, SessionFactory } from "@haft/core/kernel";
 * import { createMemoryWorkspace } from "@haft/plugin-sdk/testing";
 * import { createPolicy } from "@haft/policy";
 * import files from "@haft/tools-fs/plugin";
 *
 * const registry = new Registry({ plugins: [files], builtIn: [files.id] });
 * const policy = createPolicy({ deny: ["apply_patch"] }, { tools: registry.catalogue() });
 * const sessions = new SessionFactory({ registry, policy });
 * const session = await sessions.open({ kind: "main", workspace: createMemoryWorkspace() });
 * session.tools().some(({ name }) => name === "apply_patch"); // => false
 * await session.close();
 * ```
 */
export class SessionFactory {
  readonly #environment: SessionEnvironment;
  readonly #policy: ActivePolicy;
  readonly #settings = new Map<number, SessionSettings>();
  #opened = 0;
  #registry: Registry;

  constructor(environment: SessionEnvironment) {
    checkEnvironment(environment);
    this.#environment = environment;
    this.#registry = environment.registry;
    this.#policy = new ActivePolicy(environment.policy);
  }

  /**
   * Opens a session for one conversation.
   *
   * @throws HaftError `INVALID_OPTIONS`, `SANDBOX_REQUIRED`; with `resume` also `SESSION_HELD`, `RUN_NOT_FOUND`, `RUN_ELSEWHERE`,
   * `LEDGER_UNAVAILABLE`
   */
  open(options: SessionOptions): Promise<Session> {
    return this.#compose(options, checkTarget);
  }

  /** Returns tools and decisions of a session without opening it. */
  async preview(options: SessionOptions): Promise<SessionPreview> {
    const session = await this.#compose(options);
    await session.close();
    return session;
  }

  /**
   * Replaces the policy of open and future sessions. Running tools continue. Decided calls that have not begun are re-evaluated, and
   * waiting calls before this returns: denied calls end, allowed calls run, others wait on.
   */
  replacePolicy(policy: Policy): void {
    this.#policy.replace(policy);
  }

  /** Returns the registry for new sessions. */
  get registry(): Registry {
    return this.#registry;
  }

  /**
   * Composes the tools of open sessions from the next registry. Returns a function that activates it.
   */
  async replaceRegistry(registry: Registry, sessions: Iterable<Session>): Promise<() => void> {
    const changes = await Promise.all([...sessions].map((session) => session.replaceRegistry(registry)));
    return () => {
      this.#registry = registry;
      for (const change of changes) change();
    };
  }

  async #compose(options: SessionOptions, check?: (options: SessionOptions) => void): Promise<Session> {
    checkSession(options);
    check?.(options);
    const { logger } = this.#environment;
    const key = options.sessionKey ?? `session-${++this.#opened}`;
    const agentId = options.agentId ?? "main";
    const messageChannel = options.messageChannel ?? "";
    const model = options.model ? Object.freeze({ ...DEFAULT_MODEL, ...options.model }) : DEFAULT_MODEL;
    const keys = { agentId, sessionKey: key, messageChannel };
    const facts = factsOf(options, { agentId, model: model.name, messageChannel });
    const recording = check && (await this.#recording(options, key, facts));
    const workspace =
      recording === undefined ? options.workspace : fenceWorkspace(options.workspace, recording.fence);
    const origin = new SessionOrigin({ ...options, workspace }, keys, model, logger ?? SILENT);
    const { registry } = this;
    try {
      const tools = registry.cached(keys) ?? (await registry.compose(() => origin.getSessionInfo(), keys));
      const { network } = options;
      const settings = this.#settingsFor(model);
      const { fence } = recording ?? {};
      const state = new SessionState({ key, facts, model, tools, workspace, network, fence, settings });
      recording?.start(state);
      const { rewind } = this.#environment;
      return new Session(state, registry, origin, withoutUndefined({ dispose: options.dispose, rewind }));
    } catch (thrown) {
      await recording?.abandon();
      throw thrown;
    }
  }

  async #recording(
    { resume, takeOver, signal, workspace, openedWith }: SessionOptions,
    sessionKey: string,
    facts: SessionFacts,
  ): Promise<Recording | undefined> {
    const { store, record: mode = "plan", onStoreFault = "refuse", logger = SILENT } = this.#environment;
    if (resume === undefined && takeOver === true)
      throw invalidOptions("takeOver needs a run to resume, and resume names none.", NO_RUN);
    if (store === undefined) {
      if (resume === undefined) return undefined;
      throw invalidOptions("resume needs recorded runs, and this host records none.", NO_STORE);
    }
    const { target, cwd, ...described } = workspace.describe();
    const { prepareRecording } = await import("../kernel/recording/start-recording.ts");
    const where = { workspace: { place: target, cwd }, openedWith };
    const given = { sessionKey, facts, ...where, mode, resume, takeOver, signal };
    return prepareRecording(store, withoutUndefined<RunOpening>(given), {
      onStoreFault,
      logger,
      place: described,
    });
  }

  #settingsFor(model: ModelFacts): SessionSettings {
    const known = this.#settings.get(model.contextTokens);
    if (known) return known;
    const { loopGuard, ...environment } = this.#environment;
    const settings: SessionSettings = {
      limits: resultLimitsFor(model.contextTokens, environment.maxResultCharacters),
      loopLimits: loopGuard === false ? undefined : { ...DEFAULT_LOOP_LIMITS, ...loopGuard },
      deadlineMs: environment.deadlineMs ?? 0,
      abortGraceMs: environment.abortGraceMs ?? DEFAULT_ABORT_GRACE_MS,
      approvalTimeoutMs: environment.approvalTimeoutMs ?? DEFAULT_APPROVAL_MS,
      approvalMode: environment.approvalMode ?? (environment.approver ? "wait" : "pending"),
      approvals: environment.approvals,
      hooks: environment.hooks ?? [],
      policy: this.#policy,
      spoolDir: environment.spoolDir,
      approver: environment.approver,
      logger: environment.logger ?? SILENT,
      run: runCall,
    };
    this.#settings.set(model.contextTokens, settings);
    return settings;
  }
}

function checkTarget({ kind, workspace }: SessionOptions): void {
  if (kind !== "sandboxed" || workspace.describe().target !== "host") return;
  throw coreError(
    "SANDBOX_REQUIRED",
    "A sandboxed session needs a sandboxed workspace, and this one is on the host.",
  );
}

function factsOf(
  { kind, groupId, sender, parent, sandbox, workspace }: SessionOptions,
  known: Pick<SessionFacts, "agentId" | "model" | "messageChannel">,
): SessionFacts {
  const { containment } = workspace.describe();
  return withoutUndefined({ kind, ...known, groupId, sender, parent, sandbox, containment });
}
