import {
  type ModelFacts,
  type Plugin,
  type Sender,
  type SessionFacts,
  type SessionKind,
  type ToolFacts,
  withoutUndefined,
  type Workspace,
} from "@haft/core";
import {
  Registry,
  SessionFactory,
  type Session,
  type SessionEnvironment,
  type SessionPreview,
  type ToolDiagnostic,
} from "@haft/core/kernel";
import {
  createPolicy,
  type AdministratorPolicy,
  type ExplainingPolicy,
  type PolicyConfig,
  type Positions,
} from "@haft/policy";
import type { SandboxRef, SandboxWorkspace } from "@haft/sandbox";
import type { CommandNotice } from "@haft/tools-exec";
import { createDirectoryJournal } from "@haft/tools-fs";
import {
  createChangeEngine,
  workspaceEngineOptions,
  type ChangeEngine,
  type Recovery,
} from "@haft/tools-fs/internal";
import type { HostProcessesOptions, HostWorkspaceOptions } from "@haft/workspace";
import { randomUUID } from "node:crypto";
import { join, resolve } from "node:path";
import { createFolderApprovals } from "../approvals/folder-approvals.ts";
import type { KeptPlaces } from "../boundary/kept-folders.ts";
import { openHostFiles, recoverChanges } from "../boundary/open-host-files.ts";
import { pluginCode } from "../boundary/plugin-code.ts";
import { hostError } from "../errors.ts";
import { Sandboxes } from "../sandbox/sandboxes.ts";
import type { SandboxSettings } from "../sandbox/settings.ts";
import { createBuiltInPlugins } from "./built-in-plugins.ts";
import { checkHostOptions, checkSessionOptions } from "./host-options.ts";
import { readMachinePolicy } from "./policy-file.ts";
import { createSessionWorkspace, type SessionWorkspace } from "./session-workspace.ts";
import { approvalsFolder, defaultStateFolder } from "./state-folder.ts";
import { tellUnmatched } from "./tell-unmatched.ts";

/** The boundary of a host's sessions, on the host and, for what is read-only, in sandboxes. */
export interface HostBoundary extends Pick<
  HostWorkspaceOptions,
  | "workspaceOnly"
  | "rootAccess"
  | "deny"
  | "credentials"
  | "readOnly"
  | "startFiles"
  | "projectSettings"
  | "hardLinks"
  | "homeDir"
> {
  /**
   * Files and folders of code that this process loads when it needs it, such as those of plugins. Like Haft itself and
   * the file the process was started with, which are found by themselves, they are read and not changed. `false`: no
   * code is guarded, not Haft's either.
   */
  code?: readonly string[] | false;
}

/** What a host is made of. Everything has a default; `createHost()` is a working host. */
export interface HostOptions extends Omit<SessionEnvironment, "registry" | "policy"> {
  /** Beside the built-in ones. */
  plugins?: readonly Plugin[];
  /** Narrows and grants; see `@haft/policy`. The built-in session table always applies. */
  policy?: PolicyConfig;
  /** Where the policy came from, for messages: a file name. */
  policySource?: string;
  /** Tells the line of a key of the policy, for messages; `readPolicyFile` answers one. */
  policyPositions?: Positions;
  /**
   * Rules that come before `policy`, and that it cannot loosen. Default: the machine's, `HAFT_ADMIN_POLICY` or
   * `/etc/haft/policy.yaml` where it exists. `false`: none. What it denies and this host does not have is told to
   * the logger; without one on standard error, once in a process.
   */
  administratorPolicy?: AdministratorPolicy | false;
  /** The folder sessions work in. Default: the current folder. */
  workspaceDir?: string;
  /** Further roots, addressed as `name:path`. */
  roots?: Readonly<Record<string, { path: string; access: "ro" | "rw" }>>;
  /** The boundary of the workspace: see `HostWorkspaceOptions` of `@haft/workspace`. */
  boundary?: HostBoundary;
  /** How commands are started: isolation, environment, limits. */
  processes?: Omit<HostProcessesOptions, "workspace">;
  /**
   * What sandboxed sessions work in; by default the first of bubblewrap and Docker that works here, with nothing of
   * the host in it. `false`: there are none, and a sandboxed session needs a workspace of its own.
   */
  sandbox?: SandboxSettings | false;
  /** Told when a background command has ended and its session's model does not know yet: wake the agent. */
  onCommandExit?: (notice: CommandNotice) => void;
  /**
   * Where file changes are kept, for undo and for recovery after a crash, and approvals, unless `approvals` says
   * otherwise. No file tool gets at it, and no sandbox. Default: a folder of the user's state (see the README).
   * `false` keeps none.
   */
  stateDir?: string | false;
  /** Milliseconds a plugin's factory may take. Default 10,000. */
  factoryTimeoutMs?: number;
}

export interface HostSessionOptions {
  /** Default `main`. A `group` with a `sandbox` is `sandboxed`. */
  kind?: SessionKind;
  /** Names the conversation, and what was allowed in it for good. Without one nothing is remembered beyond the session. */
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
  /**
   * Makes the session work in a sandbox: what it is like, over what the host says, or one that was opened already
   * and stays open. Tools of plugins work in it, too. There is no way from it to the host.
   */
  sandbox?: SandboxSettings | SandboxWorkspace;
  model?: Partial<ModelFacts>;
  /** Instead of the host's own folder, and of a sandbox. For a sandboxed session one that is not on the host. */
  workspace?: Workspace;
}

/** Composes tool sets and opens sessions. One per process is enough. */
export interface Host {
  /** @throws HaftError `INVALID_OPTIONS`, or when its sandbox cannot be opened (`SANDBOX_UNAVAILABLE` …); the host and its sessions go on */
  openSession(options?: HostSessionOptions): Promise<Session>;
  /** What such a session would see and may do, without opening it. */
  preview(options?: HostSessionOptions): Promise<SessionPreview>;
  readonly policy: ExplainingPolicy;
  /** Every registered tool, as policy knows it. */
  readonly catalogue: readonly ToolFacts[];
  readonly diagnostics: readonly ToolDiagnostic[];
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

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * The preset host: built-in tools, the host's files, and a policy that explains itself.
 *
 * @throws HaftError `INVALID_OPTIONS`, `ROOT_INVALID`, and what is wrong with the policy
 */
export async function createHost(options: HostOptions = {}): Promise<Host> {
  checkHostOptions(options);
  const {
    plugins = [],
    policy: config = {},
    policySource,
    policyPositions,
    administratorPolicy,
    workspaceDir,
    roots,
    boundary: givenBoundary = {},
    stateDir: givenStateDir = defaultStateFolder(),
    processes: given = {},
    onCommandExit,
    sandbox = {},
    factoryTimeoutMs,
    ...environment
  } = options;
  // As it is now: the working folder of the process may change.
  const stateDir = givenStateDir === false ? false : resolve(givenStateDir);
  const journal = stateDir === false ? undefined : createDirectoryJournal(join(stateDir, "journal"));
  const builtInPlugins = createBuiltInPlugins(journal, onCommandExit);
  const registry = new Registry(
    withoutUndefined({
      plugins: [...builtInPlugins, ...plugins],
      builtIn: builtInPlugins.map(({ id }) => id),
      factoryTimeoutMs,
      ...(options.logger ? { logger: options.logger } : {}),
    }),
  );
  const catalogue = await registry.survey(options.logger ?? SILENT);
  const administrator = administratorPolicy ?? (await readMachinePolicy());
  const policy = createPolicy(
    config,
    withoutUndefined({
      tools: catalogue,
      source: policySource,
      positions: policyPositions,
      ...(administrator ? { administrator } : {}),
    }),
  );
  tellUnmatched(policy.unmatched, options.logger);
  const places: KeptPlaces = { stateDir, spoolDir: options.spoolDir, processState: given.stateFolder };
  const { code = [] } = givenBoundary;
  const boundary = { ...givenBoundary, code: code === false ? code : [...code, ...pluginCode(plugins)] };
  const files = { workspaceDir: workspaceDir ?? process.cwd(), roots, boundary, kept: places };
  const workspace = openHostFiles(files);
  const changes = createChangeEngine({
    ...workspaceEngineOptions(workspace),
    ...(journal ? { journal } : {}),
  });
  const recoveries = journal ? await recoverChanges(files, journal) : [];
  for (const { transactionId, outcome } of recoveries) {
    options.logger?.warn(`A crash had left the change ${transactionId} half done: ${outcome}.`);
  }
  const kept =
    stateDir === false || environment.approvals !== undefined
      ? undefined
      : createFolderApprovals(approvalsFolder(stateDir), options.logger ? { logger: options.logger } : {});
  const factory = new SessionFactory(
    withoutUndefined({
      ...environment,
      approvals: kept,
      registry,
      policy,
    }),
  );
  const processes: typeof given = {
    onReduced: (why) => options.logger?.warn(`Commands of main sessions are kept apart less well: ${why}.`),
    ...given,
  };
  const open = new Set<Session>();
  const sandboxes = new Sandboxes(
    sandbox,
    { workspaceDir: workspace.describe().cwd, ...places, guarded: boundary },
    options.logger,
  );
  let looking: SessionWorkspace | undefined;
  const look = () => (looking ??= createSessionWorkspace(workspace, processes)).workspace;
  const opening = new Set<Promise<Session>>();
  const openSession = async (wanted: HostSessionOptions): Promise<Session> => {
    checkSessionOptions(wanted);
    const { sandbox: inside, ...rest } = wanted;
    // A name made up in one process must not be that of another's session, whose grants it would have.
    const sessionKey = rest.sessionKey ?? `session-${randomUUID()}`;
    const whose = { sessionKey, agentId: rest.agentId ?? "main" };
    const sandboxed = needsSandbox(wanted) ? await sandboxes.open(inside, whose) : undefined;
    const own = sandboxed ?? (rest.workspace ? undefined : createSessionWorkspace(workspace, processes));
    const dispose = async () => {
      open.delete(session);
      await own?.close();
    };
    let session: Session;
    try {
      session = await factory.open({
        workspace: own?.workspace ?? workspace,
        ...rest,
        ...(sandboxed ? { sandbox: sandboxed.facts } : {}),
        sessionKey,
        kind: kindOf(wanted),
        dispose,
      });
    } catch (thrown) {
      await own?.close();
      throw thrown;
    }
    open.add(session);
    return session;
  };
  return {
    openSession(wanted = {}) {
      const opened = openSession(wanted);
      opening.add(opened);
      void opened.catch(() => {}).then(() => opening.delete(opened));
      return opened;
    },
    async preview(wanted = {}) {
      checkSessionOptions(wanted);
      const { sandbox: inside, ...rest } = wanted;
      const whose = { sessionKey: rest.sessionKey ?? "", agentId: rest.agentId ?? "main" };
      // Starts nothing, but programs are looked up where they would run.
      const sandboxed = needsSandbox(wanted)
        ? sandboxes.preview(inside, whose, () => look().processes!)
        : undefined;
      return factory.preview({
        workspace: sandboxed?.workspace ?? look(),
        ...rest,
        ...(sandboxed ? { sandbox: sandboxed.facts } : {}),
        kind: kindOf(wanted),
      });
    },
    policy,
    catalogue,
    diagnostics: registry.diagnostics,
    workspace,
    sandboxes: () => sandboxes.list(),
    changes,
    recoveries,
    async close() {
      await Promise.allSettled(opening);
      await Promise.all([...open].map((session) => session.close()));
      await looking?.close();
      try {
        await sandboxes.close();
      } finally {
        await kept?.close();
      }
    },
  };
}

/** A group in a sandbox is what the session table calls sandboxed. */
function kindOf({ kind = "main", sandbox }: HostSessionOptions): SessionKind {
  return kind === "group" && sandbox !== undefined ? "sandboxed" : kind;
}

/**
 * @throws HaftError `SANDBOX_AMBIGUOUS`: what was to be in a sandbox must not be found to run beside it
 */
function needsSandbox({ kind, sandbox, workspace }: HostSessionOptions): boolean {
  if (workspace === undefined) return kind === "sandboxed" || sandbox !== undefined;
  if (sandbox === undefined) return false;
  throw hostError("SANDBOX_AMBIGUOUS", "A session has a workspace of its own or a sandbox, not both.", {
    fix: "Leave out workspace; a sandbox that is open already is given as sandbox.",
    receipt: "none",
  });
}
