import type { PluginEntry, RecordSettings, SandboxSettings } from "@haft/config";
import type { HostBoundary } from "@haft/config/internal/boundary";
import type { NetworkSettings, TelemetrySettings } from "@haft/config/internal/document";
import type { NotifySettings, NodesSettings, HostMcpSettings } from "@haft/config/internal/settings";
import type { Plugin } from "@haft/core";
import type { LedgerStore } from "@haft/core/kernel";
import type { Nodes } from "@haft/nodes";
import type { AdministratorPolicy, PolicyConfig, SourceMap } from "@haft/policy";
import type { CommandNotice } from "@haft/tools-exec";
import type { HostProcessesOptions } from "@haft/workspace";
import type { SessionObserver } from "../telemetry/host-telemetry.ts";

/** Configures the rules of a host. */
export interface HostPolicyOptions {
  /**
   * Adds rules that narrow and grant; see `@haft/policy`. The built-in rules for kinds of sessions always apply. A string names a policy
   * file, which is read at the start and by `reload`. Together with rules of a `config` it is an error. Default: no further rules.
   */
  policy?: PolicyConfig | string;
  /** Sets how commands run if no rule of all or `main` sessions decides it, like this preset in policy files. Default: none. */
  preset?: "contained" | "careful";
  /** Names the policy in messages, such as a file name. Default: the file that `policy` names. */
  policySource?: string;
  /** Maps each key of the policy to its line, for messages. `readPolicyFile` returns it. */
  policyPositions?: SourceMap;
  /**
   * Sets rules before `policy`, which cannot loosen them. A string names a file. `false` means none. Default:
   * the file that `HAFT_ADMIN_POLICY` names, else `/etc/haft/policy.yaml` if it exists. Rules for tools that
   * this host does not have are logged, without a logger once per process on standard error.
   */
  administratorPolicy?: AdministratorPolicy | string | false;
}

/** Configures the folders in which the sessions of a host work. */
export interface HostFolderOptions {
  /** Names the folder in which sessions work. Default: the current folder. */
  workspaceDir?: string;
  /** Adds roots, with the address `name:path`. Default: none. */
  roots?: Readonly<Record<string, { path: string; access: "ro" | "rw" }>>;
  /** Sets the boundary of the workspace: see `HostWorkspaceOptions` of `@haft/workspace`. */
  boundary?: HostBoundary;
}

/** Configures how a host runs the commands of its sessions. */
export interface HostCommandOptions {
  /** Sets the isolation, environment and limits of commands. */
  processes?: Omit<HostProcessesOptions, "workspace">;
  /**
   * Sets the shell for commands of `exec`. `bash` runs bash without its start files if installed, else `sh`;
   * the result names it. `sh` always runs `sh`. Default: `processes.shell`, which the result does not name;
   * else `bash`.
   */
  shell?: "bash" | "sh";
  /**
   * Limits how many milliseconds `exec` waits before its command continues in the background, if the call
   * names no time. Between 10 and 120,000; `never` waits until the end. Default 10,000.
   */
  backgroundMs?: number | "never";
  /**
   * Limits how many milliseconds any call of `exec` waits. Set it if the caller has its own time limit.
   * Default and largest value: 120,000.
   */
  longestWaitMs?: number;
  /** Receives a notice when a background command ended unknown to its model. Use it to wake the agent. */
  onCommandExit?: (notice: CommandNotice) => void;
}

/** Configures the sandboxes of a host, and the reach of tools. */
export interface HostSandboxOptions {
  /**
   * Configures the sandboxes of sandboxed sessions. Default: the first working of bubblewrap and Docker,
   * without files of the host. `false` disables them: a sandboxed session then needs its own workspace.
   */
  sandbox?: SandboxSettings | false;
  /** Allows tools of plugins addresses for `context.fetch` in addition to the internet. */
  network?: NetworkSettings;
}

/** Configures the records of a host, and their place. */
export interface HostStorageOptions {
  /**
   * Names the folder for file changes (for undo and recovery), the ledger without another `store`, and
   * approvals without `approvals`. No file tool and no sandbox reaches it. `false` stores nothing. If it cannot be
   * written, the host logs a warning at start. Default: `HAFT_STATE_DIR`, else `haft` in
   * `$XDG_STATE_HOME` (`~/.local/state`).
   */
  stateDir?: string | false;
  /**
   * Sets where sessions are recorded. `sqlite` is a file of the state folder. A NATS server serves several hosts. A store that the caller
   * opened stays open when the host closes. Default `sqlite`.
   */
  store?: RecordSettings["store"] | LedgerStore;
}

/** Configures the sources of a host's tools. */
export interface HostPluginOptions {
  /**
   * Adds plugins after the built-in plugins and the plugins of the configuration: a plugin, or `{ use:
   * plugin, config, replaces }`.
   */
  plugins?: readonly (Plugin | (PluginEntry & { use: Plugin }))[];
  /**
   * Configures other machines whose commands sessions may call with `node_invoke`, if the policy grants it: settings, or nodes that the
   * caller opened, which stay open when the host closes. Default: none; then this tool is missing.
   */
  nodes?: NodesSettings | Nodes;
  /**
   * Configures MCP servers whose tools sessions have. A server takes part once an operator has accepted it with `haft mcp add`. Default:
   * the servers of the configuration. A server runs in the sandbox of its session, else in its own view of this machine.
   */
  mcp?: HostMcpSettings;
  /** Limits the factory of a plugin, in milliseconds. Default 10,000. */
  factoryTimeoutMs?: number;
}

/** Configures the receivers of notices and telemetry. */
export interface HostReportOptions {
  /** Sends a notice of each call that waits for approval to commands and URLs, at most 8. Default: none. */
  notify?: NotifySettings;
  /**
   * Exports spans and metrics of the sessions: settings, for which `@haft/otel` and the SDK of OpenTelemetry must be installed (else
   * `openSession` throws `PACKAGE_MISSING`); or an observer of each new session, such as `createTelemetry()` of `@haft/otel`, which
   * stays open when the host closes. Default: none.
   */
  telemetry?: TelemetrySettings | SessionObserver;
}
