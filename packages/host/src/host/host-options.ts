import type { RecordSettings, SandboxSettings } from "@haft/config";
import { HOST_BOUNDARY } from "@haft/config/internal/boundary";
import {
  NETWORK,
  findRecordProblems,
  isEntry,
  RECORD_SETTINGS,
  TELEMETRY,
} from "@haft/config/internal/document";
import {
  NOTIFY,
  NODES,
  getServerSchema,
  ROOTS,
  SANDBOX_SETTINGS,
  isSandboxWorkspace,
  checkHostMcp,
} from "@haft/config/internal/settings";
import { type SessionKind, type Workspace, invalidOptions } from "@haft/core";
import {
  checkOptions,
  checkPorts,
  DEFAULT_FACTORY_MS,
  type OptionSchema,
  optionsSchema,
  SESSION_ENVIRONMENT,
  SESSION_OPTIONS,
  requireMethods,
} from "@haft/core/internal";
import type { Network, SessionEnvironment, SessionOptions } from "@haft/core/kernel";
import { formatPath } from "@haft/policy";
import type { SandboxWorkspace } from "@haft/sandbox";
import { hostError } from "../errors.ts";
import { isNodes } from "../nodes/host-nodes.ts";
import { isObserver } from "../telemetry/host-telemetry.ts";
import { isLedger } from "./host-state.ts";
import { isNodeTooOld, MIN_NODE_VERSION } from "./minimum-node.ts";
import type {
  HostCommandOptions,
  HostFolderOptions,
  HostPluginOptions,
  HostPolicyOptions,
  HostReportOptions,
  HostSandboxOptions,
  HostStorageOptions,
} from "./option-groups.ts";

/**
 * Configures {@link createHost}. Every option has a default.
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
    HostPolicyOptions,
    HostFolderOptions,
    HostCommandOptions,
    HostSandboxOptions,
    HostStorageOptions,
    HostPluginOptions,
    HostReportOptions,
    Omit<SessionEnvironment, "registry" | "policy" | "store" | "rewind">,
    Omit<RecordSettings, "store"> {
  /**
   * Reads a configuration; options given here take precedence, but `policy` and configured rules together are an error.
   * `true` reads the file that `HAFT_CONFIG` names, else the file of the user (`~/.config/haft/haft.config.yaml`, `.json`, `.ts` or `.js`). A string
   * names another file. Files named `haft.config.*` in the workspace, and above it in its repository, tighten
   * the policy; their other keys apply once they are trusted (`haft config trust`). Default: no file is read.
   */
  config?: string | boolean;
}

/**
 * Configures `host.openSession`. Every option has a default.
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
  /** Sets the kind of session, which decides what it may do by default. Default `main`; a `group` with a `sandbox` becomes `sandboxed`. */
  kind?: SessionKind;
  /** Identifies the conversation and its stored grants. Without a key, grants end with the session. */
  sessionKey?: string;
  /**
   * Makes the session work in a sandbox: settings that override the host's settings, or a sandbox that the
   * caller opened and closes. Tools of plugins work in it and cannot reach the host.
   */
  sandbox?: SandboxSettings | SandboxWorkspace;
  /** Replaces the folder of the host and of a sandbox. The workspace of a sandboxed session must not be on the host. */
  workspace?: Workspace;
  /** Sets the network of tools in such a `workspace`. Default: none. */
  network?: Network;
}

const {
  registry: _registry,
  policy: _policy,
  store: _store,
  rewind: _rewind,
  ...ENVIRONMENT
} = SESSION_ENVIRONMENT;

const AMOUNT: OptionSchema = { type: "number", minimum: 1 };

const PROCESSES: OptionSchema = {
  ...optionsSchema<NonNullable<HostOptions["processes"]>>({
    environment: { "haft:kind": "object" },
    shell: { type: "string", minLength: 1 },
    records: { "haft:kind": "object" },
    onStoreFailed: { "haft:kind": "function" },
    isolation: { enum: ["auto", "namespace", "group"] },
    startedBy: { enum: ["runner", "host"] },
    stateFolder: { type: "string", minLength: 1 },
    maxRunning: AMOUNT,
    maxTasks: AMOUNT,
    controlGroups: { type: "boolean" },
    startMs: { "haft:kind": "milliseconds" },
    spareShell: { type: "boolean" },
    scriptTerminals: { type: "boolean" },
    view: {},
    onReduced: { "haft:kind": "function" },
  }),
  description: "How commands are started: isolation, environment, limits.",
};

const HOST = optionsSchema<HostOptions>({
  ...ENVIRONMENT,
  config: {
    anyOf: [{ type: "string", minLength: 1 }, { type: "boolean" }],
    description: "A configuration that is read, too: its file, or true for the usual places.",
  },
  plugins: { type: "array", description: "Plugins in addition to the built-in plugins." },
  policy: {
    // The reader of policies explains a list.
    anyOf: [{ type: "string", minLength: 1 }, { "haft:kind": "object" }, { type: "array" }],
    description: "Rules that narrow and grant, as policy files have them, or the name of such a file.",
  },
  preset: {
    enum: ["contained", "careful"],
    description: "How commands run if no rules decide it. Default: no preset.",
  },
  policySource: { type: "string", description: "Where the policy came from, for messages: a file name." },
  policyPositions: {
    "haft:kind": "function",
    description: "Tells the line of a key of the policy, for messages.",
  },
  administratorPolicy: {
    anyOf: [{ type: "string", minLength: 1 }, { const: false }, { "haft:kind": "object" }],
    description:
      "Rules that no policy can loosen, or their file; false for none. Default: the machine's rules.",
  },
  workspaceDir: {
    type: "string",
    minLength: 1,
    description: "The folder sessions work in. Default: the current folder.",
  },
  roots: ROOTS,
  boundary: HOST_BOUNDARY,
  processes: PROCESSES,
  sandbox: { description: "The sandboxes of sandboxed sessions; false disables them." },
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
    description: "Limits the wait of every call of exec. Default 120,000.",
  },
  onCommandExit: {
    "haft:kind": "function",
    description: "Told when a background command has ended and its session's model does not know yet.",
  },
  stateDir: {
    description: "The folder for changes and approvals; false stores nothing.",
  },
  ...RECORD_SETTINGS,
  store: { description: "Where sessions are stored: sqlite, { nats }, or a store object." },
  notify: NOTIFY,
  nodes: {
    description: "Other machines whose commands sessions may call: settings, or nodes that are open.",
  },
  mcp: { description: "MCP servers whose tools sessions have, and the file with their acceptance." },
  telemetry: { description: "Spans and metrics of its sessions: settings, or an observer of sessions." },
  factoryTimeoutMs: {
    "haft:kind": "milliseconds",
    exclusiveMinimum: 0,
    description: `What a plugin's factory may take. Default ${DEFAULT_FACTORY_MS}.`,
  },
} satisfies Record<string, OptionSchema>);

const STORE = optionsSchema<Pick<RecordSettings, "store">>({ store: RECORD_SETTINGS.store });

const { dispose: _dispose, ...OF_CORE } = SESSION_OPTIONS;
const SESSION = optionsSchema<HostSessionOptions>(OF_CORE);

/** @throws HaftError `INVALID_OPTIONS` for an unknown or invalid option */
export function checkHostOptions(options: HostOptions): void {
  if (isNodeTooOld())
    throw hostError(
      "RUNTIME_TOO_OLD",
      `This is Node ${process.versions.node}; Haft needs ${MIN_NODE_VERSION} or newer.`,
    );
  checkOptions("createHost", options, HOST);
  checkPorts(options);
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
  checkPlugins(options.plugins);
  checkNodes(options.nodes);
  checkHostMcp(options.mcp);
  if (options.sandbox !== undefined && options.sandbox !== false)
    checkOptions("createHost: sandbox", options.sandbox, SANDBOX_SETTINGS);
}

export function checkSessionOptions(options: HostSessionOptions): void {
  checkOptions("openSession", options, SESSION);
  const { sandbox, workspace } = options;
  if (workspace !== undefined) requireMethods("openSession: workspace", workspace, ["describe"]);
  if (options.network !== undefined && options.workspace === undefined)
    throw invalidOptions(
      "openSession: network goes with a workspace of its own; other sessions have the network of the place they work in.",
      "Leave it out, or give the workspace, too.",
    );
  if (sandbox !== undefined && !isOpen(sandbox))
    checkOptions("openSession: sandbox", sandbox, SANDBOX_SETTINGS);
}

/** Only a configuration names packages: a program would start without the tools that it counts on. */
function checkPlugins(plugins: readonly unknown[] = []): void {
  for (const [index, entry] of plugins.entries()) {
    const use = isEntry(entry) ? entry.use : entry;
    if (typeof use !== "string") continue;
    throw invalidOptions(
      `createHost: plugins[${index}] is the text ${JSON.stringify(use)}, not a plugin.`,
      "Import the package and pass its default export. Only a configuration can name a package.",
    );
  }
}

function checkNodes(nodes: HostOptions["nodes"]): void {
  if (nodes === undefined || (typeof nodes === "object" && nodes !== null && isNodes(nodes))) return;
  checkOptions("createHost: nodes", nodes, NODES);
  const { server } = nodes;
  const schema = optionsSchema<{ server: unknown }>({ server: getServerSchema(server) });
  checkOptions("createHost: nodes", { server }, schema);
}

function checkStateDir(stateDir: unknown): void {
  if (stateDir === undefined || stateDir === false || (typeof stateDir === "string" && stateDir !== ""))
    return;
  throw invalidOptions(
    "createHost: stateDir names a folder, or is false.",
    "Name one, or leave it out for the one of this user.",
  );
}

function isOpen(sandbox: SandboxSettings | SandboxWorkspace): sandbox is SandboxWorkspace {
  return typeof sandbox === "object" && sandbox !== null && isSandboxWorkspace(sandbox);
}
