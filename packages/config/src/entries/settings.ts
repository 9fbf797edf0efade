// Internal entry: it can change with any version.
export {
  MCP_SERVER,
  OPERATORS_FILE,
  checkHostMcp,
  findServerProblem,
  redactServer,
  type HostMcpSettings,
  type McpServerSettings,
} from "../settings/mcp-servers.ts";
export {
  NODES,
  type NodeFolders,
  getServerSchema,
  listNodesKeyFiles,
  nodeFolders,
  type NodeSettings,
  type NodesServer,
  type NodesSettings,
} from "../settings/node-settings.ts";
export {
  NOTIFY,
  findUrlProblem,
  isHeader,
  type NotifyCommand,
  type NotifySettings,
  type NotifyTarget,
  type NotifyWebhook,
} from "../settings/notify-settings.ts";
export { resolvePath } from "../settings/resolve-path.ts";
export { ROOTS, SANDBOX_SETTINGS, SANDBOX_SETTINGS_BY_NAME } from "../settings/sandbox-schema.ts";
export {
  BUILT_IN_BACKENDS,
  DEFAULT_LIMITS,
  type FileCaps,
  type SandboxCaps,
  applyCaps,
  backendNames,
  describeFileLimits,
  isSandboxWorkspace,
  mergeSettings,
  toSandboxFacts,
  type BuiltInBackend,
} from "../settings/sandbox-settings.ts";
export {
  getExportedEnvironment,
  resolveSecretText,
  type EnvironmentReference,
} from "../settings/secret-text.ts";
export type { ChatSettings } from "../settings/chat-settings.ts";
export type { SecretSource, ServeSettings, ServedToken } from "../settings/serve-settings.ts";
