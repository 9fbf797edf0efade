import type { PluginEntry, SandboxSettings } from "@haft/config";
import { type HostBoundary, HOST_BOUNDARY } from "@haft/config/internal/boundary";
import {
  type NetworkSettings,
  type RecordSettings,
  type TelemetrySettings,
  NETWORK,
  findRecordProblems,
  RECORD_SETTINGS,
  TELEMETRY,
} from "@haft/config/internal/document";
import {
  type NotifySettings,
  type NodesSettings,
  type HostMcpSettings,
  NOTIFY,
  NODES,
  getServerSchema,
  ROOTS,
  SANDBOX_SETTINGS,
  isSandboxWorkspace,
  checkHostMcp,
} from "@haft/config/internal/settings";
import { type Plugin, type SessionKind, type Workspace, invalidOptions } from "@haft/core";
import {
  checkOptions,
  DEFAULT_FACTORY_MS,
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

/** What a host is made of. Everything has a default; `createHost()` is a working host. */
export interface HostOptions
  extends
    Omit<SessionEnvironment, "registry" | "policy" | "store" | "rewind">,
    Omit<RecordSettings, "store"> {
  /**
   * Reads a configuration, too; what is given here comes before what it says. `true`: the one that `HAFT_CONFIG` names, else
   * the user's own (`~/.config/haft/haft.config.yaml`, `.json`, `.ts` or `.js`); a text: this file instead. Files named `haft.config.*` in
   * the workspace, and above it in its repository, tighten the policy, and say more once they are trusted (`haft config trust`).
   * Default: no file is read.
   */
  config?: string | boolean;
  /**
   * Beside the built-in ones, and after those of the configuration: plugins, or `{ use: plugin, config, replaces }`. Packages
   * and files are named in configurations.
   */
  plugins?: readonly (Plugin | PluginEntry)[];
  /**
   * Narrows and grants; see `@haft/policy`. The built-in session table always applies. A text is the name of a policy file, which
   * is read at the start and by `reload`.
   */
  policy?: PolicyConfig | string;
  /**
   * How commands run where no rules, neither of all sessions nor of `main` ones, say it: as the preset of this name in policy files.
   * Default: none.
   */
  preset?: "contained" | "careful";
  /** Where the policy came from, for messages: a file name. Default: the one that `policy` names. */
  policySource?: string;
  /** Tells the line of a key of the policy, for messages; `readPolicyFile` answers one. */
  policyPositions?: SourceMap;
  /**
   * Rules that come before `policy`, and that it cannot loosen. Default: the machine's, `HAFT_ADMIN_POLICY` or
   * `/etc/haft/policy.yaml` where it exists. A text names another file. `false`: none. What it denies and this host does not have is told to
   * the logger; without one on standard error, once in a process.
   */
  administratorPolicy?: AdministratorPolicy | string | false;
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
  /** What tools of plugins reach by `context.fetch`, beside the internet. */
  network?: NetworkSettings;
  /**
   * The shell that commands of `exec` run in. `bash`: bash where there is one, without its start files, and else `sh`; the
   * answer says which. `sh`: always that. Default: `processes.shell` where that is given, and then no answer says which; else
   * `bash`.
   */
  shell?: "bash" | "sh";
  /**
   * Milliseconds a call of `exec` waits for its command before that goes on in the background, where the call does not say.
   * Default 10,000; between 10 and 120,000. `never`: it waits to the end.
   */
  backgroundMs?: number | "never";
  /**
   * Milliseconds a call of `exec` waits for its command at most, whatever it says: where whoever calls gives up after a while.
   * Default 120,000, which is the most there is.
   */
  longestWaitMs?: number;
  /** Told when a background command has ended and its session's model does not know yet: wake the agent. */
  onCommandExit?: (notice: CommandNotice) => void;
  /**
   * Where file changes are kept, for undo and for recovery after a crash, the ledger, unless `store` says otherwise, and
   * approvals, unless `approvals` does. No file tool gets at it, and no sandbox. Default: a folder of the user's state (see the README).
   * `false` keeps none.
   */
  stateDir?: string | false;
  /**
   * Where sessions are kept: `sqlite` (the default), a file of the state folder; a NATS server, for several hosts; or a store of
   * your own, which stays open.
   */
  store?: RecordSettings["store"] | LedgerStore;
  /** Who is told of each call that waits for approval: a command, an address, or a list of them. Default: nobody. */
  notify?: NotifySettings;
  /**
   * Other machines whose commands sessions may call with `node_invoke`, where policy grants it: settings, or nodes that you opened,
   * which stay open. Default: none, and no such tool.
   */
  nodes?: NodesSettings | Nodes;
  /**
   * MCP servers whose tools sessions have: those that `haft mcp add` accepted. Of a configuration, what stands there. A server runs
   * in the sandbox of its session, and else in a view of this machine of its own.
   */
  mcp?: HostMcpSettings;
  /**
   * Spans and metrics of its sessions: settings, for which `@haft/otel` and OpenTelemetry's SDK have to be installed; or what observes
   * each session that is opened, such as `createTelemetry()` of `@haft/otel`, which stays open. Default: none.
   */
  telemetry?: TelemetrySettings | SessionObserver;
  /** Milliseconds a plugin's factory may take. Default 10,000. */
  factoryTimeoutMs?: number;
}

/** What a session is opened with. Everything has a default. */
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
  /** Default `main`. A `group` with a `sandbox` is `sandboxed`. */
  kind?: SessionKind;
  /** Names the conversation, and what was allowed in it for good. Without one nothing is remembered beyond the session. */
  sessionKey?: string;
  /**
   * Makes the session work in a sandbox: what it is like, over what the host says, or one that was opened already
   * and stays open. Tools of plugins work in it, too. There is no way from it to the host.
   */
  sandbox?: SandboxSettings | SandboxWorkspace;
  /** Instead of the host's own folder, and of a sandbox. For a sandboxed session one that is not on the host. */
  workspace?: Workspace;
  /** The network of tools in such a workspace of its own; they have none otherwise. */
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
