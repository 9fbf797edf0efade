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
import type { Plugin } from "@haft/core";
import type { LedgerStore } from "@haft/core/kernel";
import type { Nodes } from "@haft/nodes";
import type { AdministratorPolicy, PolicyConfig, SourceMap } from "@haft/policy";
import type { CommandNotice } from "@haft/tools-exec";
import type { HostProcessesOptions } from "@haft/workspace";
import type { SessionObserver } from "../telemetry/host-telemetry.ts";

/** Rules of a host. */
export interface HostPolicyOptions {
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
}

/** The folders that the sessions of a host work in. */
export interface HostFolderOptions {
  /** The folder in which sessions work. Default: the current folder. */
  workspaceDir?: string;
  /** Further roots, with the address `name:path`. Default: none. */
  roots?: Readonly<Record<string, { path: string; access: "ro" | "rw" }>>;
  /** The boundary of the workspace: see `HostWorkspaceOptions` of `@haft/workspace`. */
  boundary?: HostBoundary;
}

/** How a host runs the commands of its sessions. */
export interface HostCommandOptions {
  /** How commands are started: their isolation, environment and limits. */
  processes?: Omit<HostProcessesOptions, "workspace">;
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
}

/** Where sandboxed sessions of a host work, and what tools reach. */
export interface HostSandboxOptions {
  /**
   * The sandboxes of sandboxed sessions. Default: the first of bubblewrap and Docker that works here, with no files of the host inside.
   * `false` means that there are none: a sandboxed session then needs a workspace of its own.
   */
  sandbox?: SandboxSettings | false;
  /** What tools of plugins reach with `context.fetch` in addition to the internet. */
  network?: NetworkSettings;
}

/** What a host stores, and where. */
export interface HostStorageOptions {
  /**
   * The folder for file changes (for undo, and for recovery after a crash), for the ledger, unless `store` is another store, and for
   * approvals, unless `approvals` is given. No file tool and no sandbox reaches it. `false` stores nothing. Default: a folder in the
   * state of the user (see the README).
   */
  stateDir?: string | false;
  /**
   * Where sessions are recorded. `sqlite` is a file of the state folder. A NATS server serves several hosts. A store that the caller
   * opened stays open when the host closes. Default `sqlite`.
   */
  store?: RecordSettings["store"] | LedgerStore;
}

/** Where the tools of a host come from. */
export interface HostPluginOptions {
  /**
   * Plugins that follow the built-in ones and those of the configuration: a plugin, or `{ use: plugin, config, replaces }`. Packages
   * and files can be named in configurations only.
   */
  plugins?: readonly (Plugin | PluginEntry)[];
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
  /** Milliseconds that the factory of a plugin may take. Default 10,000. */
  factoryTimeoutMs?: number;
}

/** Whom a host tells of its sessions. */
export interface HostReportOptions {
  /** Who gets a notice of each call that waits for approval: commands and URLs, at most 8. Default: nobody. */
  notify?: NotifySettings;
  /**
   * Spans and metrics of the sessions: settings, for which `@haft/otel` and the SDK of OpenTelemetry must be installed; or an observer
   * of each new session, such as `createTelemetry()` of `@haft/otel`, which stays open when the host closes. Default: none.
   */
  telemetry?: TelemetrySettings | SessionObserver;
}
