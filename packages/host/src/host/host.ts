import type { SandboxSettings } from "@haft/config";
import { listAuditFiles, createHostAudit } from "@haft/config/internal/audit";
import {
  openHostFiles,
  recoverChanges,
  getRealPath,
  type ReservedPaths,
  defaultStateFolder,
  snapshotsFolder,
  getTemporaryStateFolder,
} from "@haft/config/internal/boundary";
import { selectUsableRules, listNatsKeyFiles } from "@haft/config/internal/document";
import { resolveStateFolder } from "@haft/config/internal/home-folder";
import { type NotifySettings, listNodesKeyFiles } from "@haft/config/internal/settings";
import type { ApprovalRequestRecord, ToolFacts, Workspace, Plugin, Logger } from "@haft/core";
import type { ToolDiagnostic } from "@haft/core/internal";
import { type Session, SessionFactory, type SessionPreview } from "@haft/core/kernel";
import type { PluginReport } from "@haft/plugin-loader";
import type { ExplainingPolicy } from "@haft/policy";
import type { SandboxRef } from "@haft/sandbox";
import type { ContainmentPlan } from "@haft/sandbox/view";
import type { NoticeStore } from "@haft/store";
import type { ExecToolOptions } from "@haft/tools-exec";
import { createExecPlugin } from "@haft/tools-exec/plugin";
import { createDirectoryJournal, type JournalStore } from "@haft/tools-fs";
import {
  type ChangeEngine,
  createChangeEngine,
  type Recovery,
  workspaceEngineOptions,
} from "@haft/tools-fs/engine";
import { createFilesPlugin } from "@haft/tools-fs/plugin";
import { withoutUndefined } from "@haft/utils";
import { createHostNetwork } from "@haft/workspace";
import { join, resolve } from "node:path";
import { Notifier } from "../approvals/notify/notifier.ts";
import { ContainmentManager } from "../contained/containment-manager.ts";
import type { SessionContainment } from "../contained/containment.ts";
import { hostError } from "../errors.ts";
import { openHostMcp } from "../mcp/host-mcp.ts";
import { isNodes, resolveHostNodes } from "../nodes/host-nodes.ts";
import { RunProcesses } from "../processes/run-processes.ts";
import { NodeWorkspaces } from "../sandbox/node-workspaces.ts";
import { Sandboxes } from "../sandbox/sandboxes.ts";
import { withSnapshots } from "../snapshots/with-snapshots.ts";
import { createHostTelemetry } from "../telemetry/host-telemetry.ts";
import { listWorkspaceCaps, withModel } from "./configured-options.ts";
import { checkHostOptions, type HostOptions, type HostSessionOptions } from "./host-options.ts";
import { HostPlugins } from "./host-plugins.ts";
import { HostSessions } from "./host-sessions.ts";
import { findStateFolderProblem, isShared, openHostState } from "./host-state.ts";
import { setHostInternals } from "./internals/host-internals.ts";
import { resolveRuleFiles, composePolicy, readRules } from "./read-rules.ts";
import { type Reload, Reloader } from "./reload.ts";
import { createRewind } from "./rewind-files.ts";
import { warnSkippedConfigurations, warnUnmatchedRules } from "./warn-unmatched-rules.ts";

/**
 * Composes the tools of plugins, decides about calls, and opens sessions. One host per process is enough.
 *
 * @example
 * ```ts
 * import { createHost, type Host } from "@haft/host";
 * const host: Host = await createHost({ workspaceDir: "/srv/project" });
 * const session = await host.openSession({ kind: "main" });
 * const outcome = await session.call({ id: "1", name: "ls", arguments: "{}" });
 * console.log(outcome.kind, outcome.content);
 * await host.close();
 * ```
 */
export interface Host {
  /**
   * Opens a session. A failure does not affect the host or its other sessions.
   *
   * @throws HaftError `INVALID_OPTIONS`, `HOST_CLOSED`; for a run that is continued `SESSION_HELD`, `RUN_NOT_FOUND`, `RUN_ELSEWHERE` or
   * `LEDGER_UNAVAILABLE`; for a sandbox that cannot be opened `SANDBOX_UNAVAILABLE` and the like
   */
  openSession(options?: HostSessionOptions): Promise<Session>;
  /** Returns what such a session would see and may do, without opening it. */
  preview(options?: HostSessionOptions): Promise<SessionPreview>;
  /**
   * Returns whether commands of such a session on the host would run in a view, and why not. The first call
   * opens a view as a check if the policy requests it.
   */
  containment(options?: HostSessionOptions): Promise<SessionContainment>;
  /**
   * Returns the current mount plan of such a session without opening a view. `undefined` if the policy
   * requests no containment.
   *
   * @throws HaftError `SANDBOX_MOUNT_REFUSED` if commands cannot have a folder of the session for writing
   */
  containmentPlan(options?: HostSessionOptions): Promise<ContainmentPlan | undefined>;
  /** Decides about tools and calls, and explains its decisions. {@link Host.reload} replaces it. */
  readonly policy: ExplainingPolicy;
  /**
   * Reads the configuration and policy files again, including files of the workspace, and applies them as a
   * whole, from the next call of every session. A running call keeps its decision; pending calls are decided
   * again. New and changed plugins are loaded, and removed plugins are disposed of. If a trusted file
   * contains an error, nothing changes. Haft never calls this itself, so a session cannot change its own
   * rules. Policies that were given as objects stay in force.
   *
   * @throws HaftError `HOST_CLOSED`
   */
  reload(): Promise<Reload>;
  /** Contains all registered tools, as the policy sees them. */
  readonly catalogue: readonly ToolFacts[];
  /** Contains the problems of plugins and tools, each with a code such as `PLUGIN_INVALID`. */
  readonly diagnostics: readonly ToolDiagnostic[];
  /** Returns the plugins with their present state, the built-in plugins first. */
  plugins(): readonly PluginReport[];
  /** Contains the files and processes of the host, for sessions without another workspace. */
  readonly workspace: Workspace;
  /** Returns the sandboxes that sessions use now. */
  sandboxes(): readonly SandboxRef[];
  /** Manages the file changes of the workspace. Undo takes a change's id, the `transactionId` of tools. */
  readonly changes: ChangeEngine;
  /** Contains the unfinished changes of a crashed process, and their outcome at the start of this host. */
  readonly recoveries: readonly Recovery[];
  /**
   * Returns the calls of all sessions that wait for a decision, oldest first. It includes open sessions, and the stored requests of this
   * state folder, also after a restart. `haft approvals` lists and answers stored requests.
   *
   * @throws HaftError `HOST_CLOSED`, or of a store that cannot be read
   * @example
   * ```ts
   * import { formatApproval } from "@haft/core/kernel";
   * import { createHost } from "@haft/host";
   * const host = await createHost({ workspaceDir: "/srv/project" });
   * for (const request of await host.pendingApprovals()) console.log(request.sessionKey, formatApproval(request));
   * ```
   */
  pendingApprovals(): Promise<readonly ApprovalRequestRecord[]>;
  /** Closes every open session. Sessions that wait for a run fail with `HOST_CLOSED`. */
  close(): Promise<void>;
}

/**
 * Creates a host with the built-in tools, the files of this machine as the workspace, and a policy that explains its decisions.
 *
 * @throws HaftError `INVALID_OPTIONS`, `ROOT_INVALID`, `RUNTIME_TOO_OLD`, or the error of an invalid policy
 * @example
 * ```ts
 * import { createHost } from "@haft/host";
 * const host = await createHost({ workspaceDir: "/srv/project", policy: { ask: ["write"] } });
 * const session = await host.openSession();
 * const outcome = await session.call({ id: "1", name: "read", arguments: { path: "README.md" } });
 * await host.close();
 * ```
 */
export async function createHost(given: HostOptions = {}): Promise<Host> {
  checkHostOptions(given);
  const filesOf = resolveRuleFiles(given);
  const started = await readRules(filesOf);
  const { configuration, options } = started;
  const {
    plugins: givenPlugins = [],
    policy: _rules,
    policySource: _source,
    policyPositions: _positions,
    administratorPolicy: _administrator,
    preset: _preset,
    workspaceDir,
    roots,
    boundary: { code: givenCode = [], ...restOfBoundary } = {},
    stateDir: givenStateDir = defaultStateFolder(),
    processes = {},
    onCommandExit,
    backgroundMs,
    longestWaitMs,
    shell,
    sandbox = {},
    network = {},
    factoryTimeoutMs,
    notify,
    durability,
    keep,
    store,
    nodes: givenNodes,
    mcp: givenMcp,
    audit: givenAudit,
    telemetry: givenTelemetry,
    ...environment
  } = options;
  const { logger } = environment;
  // The working folder of the process may change.
  const stateDir = givenStateDir === false ? undefined : resolve(givenStateDir);
  const journal = stateDir === undefined ? undefined : createDirectoryJournal(join(stateDir, "journal"));
  // A shell chosen for all scripts also applies to these.
  const ofProcesses = processes.shell === undefined ? undefined : "workspace";
  const ofCommands = {
    onExit: onCommandExit,
    backgroundMs,
    longestWaitMs,
    shell: shell ?? ofProcesses,
  } as const;
  const nodes = givenNodes && (await resolveHostNodes(givenNodes, { stateDir, logger }));
  const builtIn = [...createBuiltInPlugins(journal, withoutUndefined(ofCommands)), ...(nodes?.plugins ?? [])];
  const mcp = await openHostMcp(givenMcp, { stateDir, logger });
  const opening = { builtIn, mounted: mcp, stateDir, factoryTimeoutMs, logger };
  const plugins = await HostPlugins.open(givenPlugins, opening);
  const { registry, catalogue } = plugins;
  const tightening = configuration === undefined ? [] : selectUsableRules(configuration, catalogue);
  let policy = composePolicy(started, catalogue, tightening);
  if (configuration !== undefined) warnSkippedConfigurations(configuration.candidates, logger);
  warnUnmatchedRules(policy.unmatched, logger);
  const kept: ReservedPaths = {
    stateDir: stateDir ?? false,
    spoolDir: environment.spoolDir,
    processState: processes.stateFolder,
    keyFiles: [
      ...listAuditFiles(givenAudit),
      ...(isShared(store) ? listNatsKeyFiles(store.nats) : []),
      ...(givenNodes && !isNodes(givenNodes) ? listNodesKeyFiles(givenNodes) : []),
    ],
  };
  const code = givenCode === false ? givenCode : [...givenCode, ...plugins.code];
  const boundary = { ...restOfBoundary, code };
  const files = { workspaceDir: workspaceDir ?? process.cwd(), roots, boundary, kept };
  const workspace = openHostFiles(files);
  const changes = createChangeEngine(withoutUndefined({ ...workspaceEngineOptions(workspace), journal }));
  const recoveries = await recoverChanges(files, journal, logger);
  const stateProblem = stateDir === undefined ? undefined : findStateFolderProblem(stateDir);
  if (stateProblem !== undefined)
    logger?.warn(
      `The state folder cannot be written (${stateProblem}), so calls that change something will fail. Set stateDir or HAFT_STATE_DIR to another folder, or stateDir to false.`,
    );
  const state = openHostState({ stateDir, durability, keep, store, logger });
  const approvals = environment.approvals ?? state.approvals;
  const rewind = journal && createRewind(journal);
  const audit = await createHostAudit(givenAudit, state.ledger);
  const telemetry = createHostTelemetry(givenTelemetry, logger);
  const ledger =
    audit.ledger === undefined || stateDir === undefined
      ? audit.ledger
      : withSnapshots(audit.ledger, { folder: snapshotsFolder(stateDir), workspace, logger });
  const factory = new SessionFactory(
    withoutUndefined({ ...environment, store: ledger, approvals, registry, policy, rewind }),
  );
  const location = { workspaceDir: workspace.describe().cwd, ...kept, guarded: boundary };
  const toolNetwork = createHostNetwork(network);
  const sandboxes = new Sandboxes(
    sandbox,
    location,
    { logger, allowPrivate: network.allowPrivate, nodes: nodes?.nodes },
    listWorkspaceCaps(tightening),
  );
  const onReduced = (why: string) => logger?.warn(`Commands of main sessions are isolated less: ${why}.`);
  const commands = { onReduced, ...processes };
  const containing = new ContainmentManager({
    policy: () => policy,
    files: workspace,
    boundary,
    reserved: kept,
    folder: stateDir === undefined ? getTemporaryStateFolder() : join(stateDir, "contained"),
    processes: commands,
    network: toolNetwork,
    logger,
  });
  const config = isShared(store) && typeof given.config === "string" ? resolve(given.config) : undefined;
  const notifier = hostNotifier(notify, () => state.notices(), { stateDir, config, logger });
  const sessions = new HostSessions({
    factory,
    sandboxes,
    files: workspace,
    processes: commands,
    network: toolNetwork,
    containment: containing,
    notify: notifier?.notify.bind(notifier),
    records: state.ledger && (() => new RunProcesses(state.processes, logger)),
    nodeWorkspaces: nodes && ((sessionKey) => new NodeWorkspaces(nodes.nodes, sessionKey, logger)),
    servers: mcp?.begin(containing, network.allowPrivate),
  });
  const listeners = new Set<() => void>();
  const reloader = new Reloader({
    ruleFiles: filesOf,
    initialRules: started,
    policy,
    workspace: tightening,
    plugins,
    writable: writableOf(workspace, sandbox),
    replaceRegistry: (next) => sessions.replaceRegistry(next),
    applyPolicy(next) {
      policy = next;
      factory.replacePolicy(next);
      for (const listener of listeners) listener();
    },
    logger,
  });
  const close = async () => {
    reloader.close();
    await sessions.close();
    await plugins.close();
    await notifier?.close();
    try {
      await sandboxes.close();
    } finally {
      await nodes?.close();
      await state.close();
      audit.close();
      await telemetry.close();
      mcp?.close();
    }
  };
  // Later calls wait for the same end. Sessions finish their writes before the store closes.
  let closing: Promise<void> | undefined;
  const host: Host = {
    async openSession(wanted = {}) {
      audit.require();
      await telemetry.begin();
      return telemetry.observe(await sessions.open(withModel(wanted, configuration)));
    },
    preview: (wanted = {}) => sessions.preview(withModel(wanted, configuration)),
    containment: (wanted = {}) => sessions.containment(withModel(wanted, configuration)),
    containmentPlan: (wanted = {}) => sessions.containmentPlan(withModel(wanted, configuration)),
    get policy() {
      return policy;
    },
    reload: () => reloader.reload(),
    get catalogue() {
      return plugins.catalogue;
    },
    get diagnostics() {
      return plugins.registry.diagnostics;
    },
    plugins: () => plugins.reports(),
    workspace,
    sandboxes: () => sandboxes.opened().map(({ ref }) => ref),
    changes,
    recoveries,
    async pendingApprovals() {
      if (closing !== undefined)
        throw hostError("HOST_CLOSED", "This host is closed, so it reads no requests.");
      const stored = (await approvals?.requests()) ?? [];
      const ids = new Set(stored.map(({ approvalId }) => approvalId));
      const live = sessions.all().flatMap(({ session }) => session.pendingApprovals());
      return [...stored, ...live.filter(({ approvalId }) => !ids.has(approvalId))].toSorted(
        (one, other) => one.requestedAt - other.requestedAt,
      );
    },
    close: () => (closing ??= close()),
  };
  setHostInternals(host, {
    options: given,
    stateDir,
    ledger,
    approvals,
    processes: state.processes,
    auditFile: givenAudit?.file,
    isShared: isShared(store),
    sessions,
    nodes: nodes?.nodes,
    rules: started,
    activeRules: reloader,
    onPolicy(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  });
  return host;
}

function writableOf(workspace: Workspace, sandbox: SandboxSettings | false): string[] {
  return [...workspace.describe().mounts, ...Object.values((sandbox || {}).roots ?? {})]
    .filter(({ access }) => access === "rw")
    .map(({ path }) => getRealPath(path) ?? path);
}

function createBuiltInPlugins(
  journal: JournalStore | undefined,
  commands: Pick<ExecToolOptions, "onExit" | "backgroundMs" | "longestWaitMs" | "shell">,
): readonly Plugin[] {
  return [createFilesPlugin(withoutUndefined({ journal })), createExecPlugin(commands)];
}

function hostNotifier(
  notify: NotifySettings | undefined,
  notices: () => Promise<NoticeStore>,
  {
    stateDir,
    config,
    logger,
  }: { stateDir: string | undefined; config: string | undefined; logger: Logger | undefined },
): Notifier | undefined {
  if (notify === undefined || notify.length === 0) return undefined;
  const where: [string, string][] = [];
  if (config !== undefined) where.push(["--config", config]);
  if (stateDir !== undefined && stateDir !== resolveStateFolder().path) where.push(["--state", stateDir]);
  return new Notifier({ targets: notify, notices, approvalOptions: where, logger });
}
