export type { PluginEntry } from "./config/plugin-references.ts";
export { defineConfig, type HaftConfig, type PolicyInFiles } from "./config/haft-config.ts";
export type { ChatProvider, ChatSettings } from "./settings/chat-settings.ts";
export type { NetworkSettings } from "./config/network-settings.ts";
export type { EnvironmentReference } from "./settings/secret-text.ts";
export type {
  HostMcpSettings,
  McpOauthSettings,
  McpServerSettings,
  McpSettings,
} from "./settings/mcp-servers.ts";
export type { NatsServerSettings } from "./settings/nats-server.ts";
export type { NatsSettings } from "./config/records/nats-settings.ts";
export type {
  NotifyWebhook,
  NotifyCommand,
  NotifySettings,
  NotifyTarget,
} from "./approvals/notify/settings.ts";
export type { AuditEntry, GuardedCall } from "./audit/audit-entry.ts";
export { type AuditItem, type AuditReadOptions, readAuditLog } from "./audit/read-audit-log.ts";
export type { AuditSettings } from "./config/records/audit-settings.ts";
export type { TelemetrySettings } from "./config/records/telemetry-settings.ts";
export type { SessionObserver } from "./telemetry/host-telemetry.ts";
export type { KeepSettings, RecordSettings } from "./config/records/record-settings.ts";
export type {
  NodeSettings,
  NodesInFiles,
  NodesServer,
  NodesSettings,
  NodeWorkspaceSettings,
} from "./nodes/settings.ts";
export { createHost, type Host } from "./host/host.ts";
export { inspect, type InspectOptions } from "./inspect/inspect.ts";
export type { Reload, ReloadProblem } from "./host/reload.ts";
export type { HostOptions, HostSessionOptions } from "./host/host-options.ts";
export type { PluginProblem } from "./plugins/describe-plugin.ts";
export type { RuntimeFailure, PinnedPackage } from "./plugins/plugin-record.ts";
export type { Manifest, ManifestTool } from "./plugins/manifest/manifest.ts";
export type { PluginReport, PluginToolReport } from "./plugins/plugin-report.ts";
export type { SessionContainment } from "./contained/containment.ts";
export type { ContainedGit, ContainedNetwork, ContainmentPlan } from "./contained/containment-plan.ts";
export type { HostBoundary } from "./boundary/host-boundary.ts";
export { type PolicyText, readPolicyFile } from "./config/policy-file.ts";
export type { BuiltInBackend, SandboxSettings } from "./sandbox/settings.ts";
export { loadSandboxBackend } from "./sandbox/load-backend.ts";
export { createSandboxedTools } from "./bound/sandboxed-tools.ts";
export type { SandboxedTools, SandboxedToolsOptions } from "./bound/sandboxed-tools.ts";
export type { ServedToken, ServeSettings, SecretSource } from "./serve/settings.ts";
