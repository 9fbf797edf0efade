export {
  type AuditEntry,
  type AuditItem,
  type AuditReadOptions,
  type HaftConfig,
  type PluginEntry,
  type PolicyText,
  type RecordSettings,
  type SandboxSettings,
  defineConfig,
  readAuditLog,
  readPolicyFile,
} from "@haft/config";
export {
  type Host,
  type HostOptions,
  type HostSessionOptions,
  type SandboxedTools,
  type SandboxedToolsOptions,
  createHost,
  createSandboxedTools,
} from "@haft/host";
export type { Manifest, PinnedPackage, PluginProblem, PluginReport } from "@haft/plugin-loader";
