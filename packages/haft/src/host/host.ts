import { type Logger, type ToolFacts, withoutUndefined, type Workspace } from "@haft/core";
import {
  Registry,
  type Session,
  SessionFactory,
  type SessionPreview,
  type ToolDiagnostic,
} from "@haft/core/kernel";
import { createPolicy, type ExplainingPolicy, type WorkspacePolicy } from "@haft/policy";
import type { SandboxRef } from "@haft/sandbox";
import { createDirectoryJournal, type JournalStore } from "@haft/tools-fs";
import {
  type ChangeEngine,
  createChangeEngine,
  type Recovery,
  workspaceEngineOptions,
} from "@haft/tools-fs/internal";
import { join, resolve } from "node:path";
import { createFolderApprovals } from "../approvals/folder-approvals.ts";
import type { KeptPlaces } from "../boundary/kept-folders.ts";
import { openHostFiles, recoverChanges } from "../boundary/open-host-files.ts";
import { pluginCode } from "../boundary/plugin-code.ts";
import { approvalsFolder, defaultStateFolder, temporaryState } from "../boundary/state-folder.ts";
import { readMachinePolicy } from "../config/policy-file.ts";
import type { ContainedPlaces } from "../contained/contained-places.ts";
import { Containing } from "../contained/containing.ts";
import type { SessionContainment } from "../contained/containment.ts";
import { Sandboxes } from "../sandbox/sandboxes.ts";
import { createBuiltInPlugins } from "./built-in-plugins.ts";
import { configurationOf, usableRules, withConfiguration, withModel } from "./configured-options.ts";
import { checkHostOptions, type HostOptions, type HostSessionOptions } from "./host-options.ts";
import { HostSessions } from "./host-sessions.ts";
import { tellPassedOver, tellUnmatched } from "./tell-unmatched.ts";

/** Composes tool sets and opens sessions. One per process is enough. */
export interface Host {
  /**
   * Opens a session.
   *
   * @throws HaftError `INVALID_OPTIONS`, or when its sandbox cannot be opened (`SANDBOX_UNAVAILABLE` …); the host and its sessions go on
   */
  openSession(options?: HostSessionOptions): Promise<Session>;
  /** What such a session would see and may do, without opening it. */
  preview(options?: HostSessionOptions): Promise<SessionPreview>;
  /**
   * Whether the commands of such a session on the host would run in a view of it, and why not. Where policy wants that, a view
   * is opened once to see whether this machine can.
   */
  containment(options?: HostSessionOptions): Promise<SessionContainment>;
  /**
   * What such a view would be made of, as things are now; nothing is opened. `undefined` where policy wants none.
   *
   * @throws HaftError `SANDBOX_MOUNT_REFUSED` where commands could not be given a folder of the session to write in
   */
  containedPlaces(options?: HostSessionOptions): Promise<ContainedPlaces | undefined>;
  /** What decides about tools and calls, and says why. */
  readonly policy: ExplainingPolicy;
  /** Every registered tool, as policy knows it. */
  readonly catalogue: readonly ToolFacts[];
  /** What is wrong with plugins and their tools, each with its code: `PLUGIN_INVALID`, `TOOL_NAME_COLLISION` … */
  readonly diagnostics: readonly ToolDiagnostic[];
  /** The files and processes of the host, on which sessions work that name no other. */
  readonly workspace: Workspace;
  /** The sandboxes its sessions work in now. */
  sandboxes(): readonly SandboxRef[];
  /** File changes of the workspace: undo by transaction id, which tools report as `transactionId`. */
  readonly changes: ChangeEngine;
  /** Changes a crashed process had left half done, and what became of them when this host started. */
  readonly recoveries: readonly Recovery[];
  /** Closes every session that is still open. */
  close(): Promise<void>;
}

const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * The preset host: built-in tools, the host's files, and a policy that explains itself.
 *
 * @throws HaftError `INVALID_OPTIONS`, `ROOT_INVALID`, and what is wrong with the policy
 */
export async function createHost(given: HostOptions = {}): Promise<Host> {
  checkHostOptions(given);
  const { config: _config, ...ownOptions } = given;
  const configuration = await configurationOf(given);
  const options = configuration === undefined ? ownOptions : withConfiguration(ownOptions, configuration);
  const {
    plugins = [],
    policy: _rules,
    policySource: _source,
    policyPositions: _positions,
    administratorPolicy: _administrator,
    workspaceDir,
    roots,
    boundary: { code: givenCode = [], ...restOfBoundary } = {},
    stateDir: givenStateDir = defaultStateFolder(),
    processes = {},
    onCommandExit,
    shell,
    sandbox = {},
    factoryTimeoutMs,
    ...environment
  } = options;
  const { logger } = environment;
  // As it is now: the working folder of the process may change.
  const stateDir = givenStateDir === false ? undefined : resolve(givenStateDir);
  const journal = stateDir === undefined ? undefined : createDirectoryJournal(join(stateDir, "journal"));
  // Who has chosen a shell for all scripts has chosen it for these.
  const ofProcesses = processes.shell === undefined ? undefined : "workspace";
  const builtIn = createBuiltInPlugins(journal, { onExit: onCommandExit, shell: shell ?? ofProcesses });
  const registry = new Registry(
    withoutUndefined({
      plugins: [...builtIn, ...plugins],
      builtIn: builtIn.map(({ id }) => id),
      factoryTimeoutMs,
      logger,
    }),
  );
  const catalogue = await registry.survey(logger ?? SILENT);
  const tightening = configuration === undefined ? [] : usableRules(configuration, catalogue);
  const policy = await composePolicy(options, catalogue, tightening);
  if (configuration !== undefined) tellPassedOver(configuration.looked, logger);
  tellUnmatched(policy.unmatched, logger);
  const kept: KeptPlaces = {
    stateDir: stateDir ?? false,
    spoolDir: environment.spoolDir,
    processState: processes.stateFolder,
  };
  const code = givenCode === false ? givenCode : [...givenCode, ...pluginCode(plugins)];
  const boundary = { ...restOfBoundary, code };
  const files = { workspaceDir: workspaceDir ?? process.cwd(), roots, boundary, kept };
  const workspace = openHostFiles(files);
  const changes = createChangeEngine(withoutUndefined({ ...workspaceEngineOptions(workspace), journal }));
  const recoveries = await recover(files, journal, logger);
  const ownApprovals =
    stateDir === undefined || environment.approvals !== undefined
      ? undefined
      : createFolderApprovals(approvalsFolder(stateDir), withoutUndefined({ logger }));
  const approvals = environment.approvals ?? ownApprovals;
  const factory = new SessionFactory(withoutUndefined({ ...environment, approvals, registry, policy }));
  const place = { workspaceDir: workspace.describe().cwd, ...kept, guarded: boundary };
  const sandboxes = new Sandboxes(sandbox, place, logger);
  const commands = {
    onReduced: (why: string) => logger?.warn(`Commands of main sessions are kept apart less well: ${why}.`),
    ...processes,
  };
  const containing = new Containing({
    policy,
    files: workspace,
    boundary,
    kept,
    folder: stateDir === undefined ? temporaryState() : join(stateDir, "contained"),
    processes: commands,
    logger,
  });
  const sessions = new HostSessions(factory, sandboxes, workspace, commands, containing);
  return {
    openSession: (wanted = {}) => sessions.open(withModel(wanted, configuration)),
    preview: (wanted = {}) => sessions.preview(withModel(wanted, configuration)),
    containment: (wanted = {}) => sessions.containment(withModel(wanted, configuration)),
    containedPlaces: (wanted = {}) => sessions.containedPlaces(withModel(wanted, configuration)),
    policy,
    catalogue,
    diagnostics: registry.diagnostics,
    workspace,
    sandboxes: () => sandboxes.list(),
    changes,
    recoveries,
    async close() {
      await sessions.close();
      try {
        await sandboxes.close();
      } finally {
        await ownApprovals?.close();
      }
    },
  };
}

async function composePolicy(
  { policy = {}, policySource, policyPositions, administratorPolicy }: HostOptions,
  tools: readonly ToolFacts[],
  workspace: readonly WorkspacePolicy[],
): Promise<ExplainingPolicy> {
  const administrator = administratorPolicy ?? (await readMachinePolicy());
  return createPolicy(
    policy,
    withoutUndefined({
      tools,
      source: policySource,
      positions: policyPositions,
      administrator: administrator === false ? undefined : administrator,
      workspace,
    }),
  );
}

/** What a crash had left half done. */
async function recover(
  files: Parameters<typeof recoverChanges>[0],
  journal: JournalStore | undefined,
  logger: Logger | undefined,
): Promise<Recovery[]> {
  const recoveries = journal === undefined ? [] : await recoverChanges(files, journal);
  for (const { transactionId, outcome } of recoveries)
    logger?.warn(`A crash had left the change ${transactionId} half done: ${outcome}.`);
  return recoveries;
}
