import type {
  NotifySettings,
  HostBoundary,
  NetworkSettings,
  PluginEntry,
  RecordSettings,
  TelemetrySettings,
  NodesSettings,
  SandboxSettings,
  HostMcpSettings,
} from "@haft/config";
import {
  NOTIFY,
  HOST_BOUNDARY,
  NETWORK,
  findRecordProblems,
  RECORD_SETTINGS,
  TELEMETRY,
  NODES,
  getServerSchema,
  ROOTS,
  SANDBOX_SETTINGS,
  isSandboxWorkspace,
  checkHostMcp,
} from "@haft/config/internal";
import type { Plugin, SessionKind, Workspace } from "@haft/core";
import {
  checkOptions,
  DEFAULT_FACTORY_MS,
  invalidOptions,
  type OptionSchema,
  optionsSchema,
  SESSION_ENVIRONMENT,
  SESSION_OPTIONS,
} from "@haft/core/internal";
import type { LedgerStore, Network, SessionEnvironment, SessionOptions } from "@haft/core/kernel";
import type { Nodes } from "@haft/nodes";
import { type AdministratorPolicy, formatPath, type PolicyConfig, type SourceMap } from "@haft/policy";
import type { SandboxWorkspace } from "@haft/sandbox";
import type { CommandNotice } from "@haft/tools-exec";
import type { HostProcessesOptions } from "@haft/workspace";
import { hostError } from "../errors.ts";
import { isNodes } from "../nodes/host-nodes.ts";
import { isObserver, type SessionObserver } from "../telemetry/host-telemetry.ts";
import { isLedger } from "./host-state.ts";
import { isNodeTooOld, MIN_NODE_VERSION } from "./minimum-node.ts";

/**
 * Options of {@link createHost}. Everything has a default: `createHost()` returns a host that works.
 *
 * @example
 * ```ts
 * import type { HostOptions } from "@haft/host";
 * const options: HostOptions = {
 *   workspaceDir: "/srv/project",
 *   policy: { deny: ["effect:network"], ask: ["write(path:docs/**)"] },
 *   sandbox: { network: "none" },
 *   approvalMode: "pending",
 * };
 * ```
 */
export interface HostOptions
  extends
    Omit<SessionEnvironment, "registry" | "policy" | "store" | "rewind">,
    Omit<RecordSettings, "store"> {
  /**
   * Reads a configuration as well. Options given here come before its content. `true` reads the file that `HAFT_CONFIG` names, else the
   * file of the user (`~/.config/haft/haft.config.yaml`, `.json`, `.ts` or `.js`). A text names another file. Files named
   * `haft.config.*` in the workspace, and above it in its repository, tighten the policy; their other keys count once they are trusted
   * (`haft config trust`). Default: no file is read.
   */
  config?: string | boolean;
  /**
   * Plugins that follow the built-in ones and those of the configuration: a plugin, or `{ use: plugin, config, replaces }`. Packages
   * and files can be named in configurations only.
   */
  plugins?: readonly (Plugin | PluginEntry)[];
  /**
   * Rules that narrow and grant; see `@haft/policy`. The built-in rules for kinds of sessions always apply. A text names a policy file,
   * which is read at the start and by `reload`. Default: no further rules.
   */
  policy?: PolicyConfig | string;
  /**
   * How commands run where no rules of all sessions or of `main` sessions decide it, as the preset of this name in policy files.
   * Default: none.
   */
  preset?: "contained" | "careful";
  /** The name of the policy in messages, such as a file name. Default: the file that `policy` names. */
  policySource?: string;
  /** The line of each key of the policy, for messages. `readPolicyFile` returns it. */
  policyPositions?: SourceMap;
  /**
   * Rules that come before `policy`, and that `policy` cannot loosen. A text names a file. `false` means none. Default: the file that
   * `HAFT_ADMIN_POLICY` names, else `/etc/haft/policy.yaml` where it exists. Rules for tools that this host does not have are reported
   * to the logger; without a logger once in a process on standard error.
   */
  administratorPolicy?: AdministratorPolicy | string | false;
  /** The folder in which sessions work. Default: the current folder. */
  workspaceDir?: string;
  /** Further roots, with the address `name:path`. Default: none. */
  roots?: Readonly<Record<string, { path: string; access: "ro" | "rw" }>>;
  /** The boundary of the workspace: see `HostWorkspaceOptions` of `@haft/workspace`. */
  boundary?: HostBoundary;
  /** How commands are started: their isolation, environment and limits. */
  processes?: Omit<HostProcessesOptions, "workspace">;
  /**
   * The sandboxes of sandboxed sessions. Default: the first of bubblewrap and Docker that works here, with no files of the host inside.
   * `false` means that there are none: a sandboxed session then needs a workspace of its own.
   */
  sandbox?: SandboxSettings | false;
  /** What tools of plugins reach with `context.fetch` in addition to the internet. */
  network?: NetworkSettings;
  /**
   * The shell in which commands of `exec` run. `bash` runs bash without its start files where it is installed, else `sh`; the result
   * says which one ran. `sh` always runs `sh`. Default: `processes.shell` where that is given, and the result does not name it;
   * else `bash`.
   */
  shell?: "bash" | "sh";
  /**
   * Milliseconds that a call of `exec` waits for its command before the command goes on in the background. It counts where the call
   * names no time. Between 10 and 120,000; `never` waits until the end. Default 10,000.
   */
  backgroundMs?: number | "never";
  /**
   * Milliseconds that a call of `exec` waits for its command at most, whatever the call says. Set it where the caller gives up
   * after a while. Default and largest value: 120,000.
   */
  longestWaitMs?: number;
  /**
   * The host calls this when a background command has ended and the model of its session does not know it yet. Use it to wake the
   * agent.
   */
  onCommandExit?: (notice: CommandNotice) => void;
  /**
   * The folder of the host's state: file changes (for undo, and for recovery after a crash), ledger and approvals. The options `store` and
   * `approvals` move the last two elsewhere. No file tool and no sandbox reaches the folder. `false` stores nothing. Default: a folder
   * in the state of the user (see the README).
   */
  stateDir?: string | false;
  /**
   * Where sessions are recorded. `sqlite` is a file of the state folder. A NATS server serves several hosts. A store that the caller
   * opened stays open when the host closes. Default `sqlite`.
   */
  store?: RecordSettings["store"] | LedgerStore;
  /** Who gets a notice of each call that waits for approval: commands and URLs, at most 8. Default: nobody. */
  notify?: NotifySettings;
  /**
   * Other machines whose commands sessions may call with `node_invoke`, where the policy grants it: settings, or nodes that the caller
   * opened, which stay open when the host closes. Default: none, and there is no such tool.
   */
  nodes?: NodesSettings | Nodes;
  /**
   * MCP servers whose tools sessions have. A server takes part once an operator has accepted it with `haft mcp add`. Default: the
   * servers of the configuration. A server runs in the sandbox of its session, else in its own view of this machine.
   */
  mcp?: HostMcpSettings;
  /**
   * Spans and metrics of the sessions: settings, for which `@haft/otel` and the SDK of OpenTelemetry must be installed; or an observer
   * of each new session, such as `createTelemetry()` of `@haft/otel`, which stays open when the host closes. Default: none.
   */
  telemetry?: TelemetrySettings | SessionObserver;
  /** Milliseconds that the factory of a plugin may take. Default 10,000. */
  factoryTimeoutMs?: number;
}

/**
 * Options of `host.openSession`. Everything has a default.
 *
 * @example
 * ```ts
 * import type { Host, HostSessionOptions } from "@haft/host";
 * declare const host: Host;
 * const options: HostSessionOptions = { kind: "group", groupId: "42", sessionKey: "telegram:42", resume: true };
 * const session = await host.openSession(options);
 * ```
 */
export interface HostSessionOptions extends Pick<
  SessionOptions,
  | "agentId"
  | "agentDir"
  | "messageChannel"
  | "groupId"
  | "sender"
  | "parent"
  | "model"
  | "resume"
  | "takeOver"
  | "signal"
  | "openedWith"
> {
  /**
   * The kind of session, which decides what it may do by default. Default `main`; a `group` with a `sandbox` becomes `sandboxed`.
   */
  kind?: SessionKind;
  /** Identifies the conversation, and the grants that are stored for it. Without a key no grant outlives the session. */
  sessionKey?: string;
  /**
   * Makes the session work in a sandbox: settings that come before those of the host, or a sandbox that the caller opened, which
   * stays open. Tools of plugins work in it, too. They cannot reach the host from it.
   */
  sandbox?: SandboxSettings | SandboxWorkspace;
  /** The workspace, instead of the folder of the host and of a sandbox. That of a sandboxed session must not be on the host. */
  workspace?: Workspace;
  /** The network of tools in such a `workspace`. Default: none. */
  network?: Network;
}

const {
  registry: _registry,
  policy: _policy,
  store: _store,
  rewind: _rewind,
  ...ENVIRONMENT
} = SESSION_ENVIRONMENT;

const HOST = optionsSchema<HostOptions>({
  ...ENVIRONMENT,
  config: {
    anyOf: [{ type: "string", minLength: 1 }, { type: "boolean" }],
    description: "A configuration that is read, too: its file, or true for the usual places.",
  },
  plugins: { description: "Plugins beside the built-in ones." },
  policy: {
    description: "Rules that narrow and grant, as policy files have them, or the name of such a file.",
  },
  preset: {
    enum: ["contained", "careful"],
    description: "How commands run where no rules say it. Default: none of the presets.",
  },
  policySource: { type: "string", description: "Where the policy came from, for messages: a file name." },
  policyPositions: { description: "Tells the line of a key of the policy, for messages." },
  administratorPolicy: {
    description:
      "Rules that no policy can loosen, or their file; false for none. Default: those of the machine.",
  },
  workspaceDir: { type: "string", description: "The folder sessions work in. Default: the current folder." },
  roots: ROOTS,
  boundary: HOST_BOUNDARY,
  processes: { description: "How commands are started: isolation, environment, limits." },
  sandbox: { description: "What sandboxed sessions work in; false: there are none." },
  network: NETWORK,
  shell: {
    enum: ["bash", "sh"],
    description: "The shell of exec. Default: processes.shell; else bash, where there is one.",
  },
  backgroundMs: {
    anyOf: [{ type: "number", minimum: 0 }, { const: "never" }],
    description: "Milliseconds a call of exec waits for its command, or never. Default 10,000.",
  },
  longestWaitMs: {
    "haft:kind": "milliseconds",
    description: "What a call of exec waits at most, whatever it says. Default 120,000.",
  },
  onCommandExit: {
    "haft:kind": "function",
    description: "Told when a background command has ended and its session's model does not know yet.",
  },
  stateDir: {
    description: "Where changes and approvals are kept: the name of a folder, or false for nowhere.",
  },
  ...RECORD_SETTINGS,
  store: { description: "Where sessions are kept: sqlite, { nats }, or a store of your own." },
  notify: NOTIFY,
  nodes: {
    description: "Other machines whose commands sessions may call: settings, or nodes that are open.",
  },
  mcp: { description: "MCP servers whose tools sessions have, and the file of what was accepted of them." },
  telemetry: { description: "Spans and metrics of its sessions: settings, or what observes sessions." },
  factoryTimeoutMs: {
    "haft:kind": "milliseconds",
    description: `What a plugin's factory may take. Default ${DEFAULT_FACTORY_MS}.`,
  },
} satisfies Record<string, OptionSchema>);

const STORE = optionsSchema<Pick<RecordSettings, "store">>({ store: RECORD_SETTINGS.store });

const { dispose: _dispose, ...OF_CORE } = SESSION_OPTIONS;
const SESSION = optionsSchema<HostSessionOptions>(OF_CORE);

/** @throws HaftError `INVALID_OPTIONS` for one that does not exist, or is not what it has to be */
export function checkHostOptions(options: HostOptions): void {
  if (isNodeTooOld())
    throw hostError(
      "RUNTIME_TOO_OLD",
      `This is Node ${process.versions.node}; Haft needs ${MIN_NODE_VERSION} or newer.`,
    );
  checkOptions("createHost", options, HOST);
  checkStateDir(options.stateDir);
  const { keep, notify, audit, telemetry } = options;
  if (!isLedger(options.store)) checkOptions("createHost", { store: options.store }, STORE);
  if (telemetry !== undefined && !isObserver(telemetry))
    checkOptions("createHost: telemetry", telemetry, TELEMETRY);
  const [problem] = findRecordProblems({ keep, audit, approvals: { notify } }, false);
  if (problem !== undefined)
    throw invalidOptions(
      `createHost: ${formatPath(problem.path).replace(/^approvals\./, "")}: ${problem.message}`,
    );
  checkNodes(options.nodes);
  checkHostMcp(options.mcp);
  if (options.sandbox !== undefined && options.sandbox !== false)
    checkOptions("createHost: sandbox", options.sandbox, SANDBOX_SETTINGS);
}

/** @throws HaftError `INVALID_OPTIONS`, as {@link checkHostOptions} */
export function checkSessionOptions(options: HostSessionOptions): void {
  checkOptions("openSession", options, SESSION);
  const { sandbox } = options;
  if (options.network !== undefined && options.workspace === undefined)
    throw invalidOptions(
      "openSession: network goes with a workspace of its own; other sessions have the network of the place they work in.",
      "Leave it out, or give the workspace, too.",
    );
  if (sandbox !== undefined && !isOpen(sandbox))
    checkOptions("openSession: sandbox", sandbox, SANDBOX_SETTINGS);
}

function checkNodes(nodes: HostOptions["nodes"]): void {
  if (nodes === undefined || (typeof nodes === "object" && nodes !== null && isNodes(nodes))) return;
  checkOptions("createHost: nodes", nodes, NODES);
  const { server } = nodes;
  const schema = optionsSchema<{ server: unknown }>({ server: getServerSchema(server) });
  checkOptions("createHost: nodes", { server }, schema);
}

/** An empty text would be the working folder. */
function checkStateDir(stateDir: unknown): void {
  if (stateDir === undefined || stateDir === false || (typeof stateDir === "string" && stateDir !== ""))
    return;
  throw invalidOptions(
    "createHost: stateDir names a folder, or is false.",
    "Name one, or leave it out for the one of this user.",
  );
}

/** Whatever it is: `in` asks objects only. */
function isOpen(sandbox: SandboxSettings | SandboxWorkspace): sandbox is SandboxWorkspace {
  return typeof sandbox === "object" && sandbox !== null && isSandboxWorkspace(sandbox);
}
