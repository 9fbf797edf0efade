// For the packages beside this one. Not public: it may change with any version.
export {
  MCP_SERVER,
  OPERATORS_FILE,
  checkHostMcp,
  findServerProblem,
  redactServer,
} from "../settings/mcp-servers.ts";
export {
  NODES,
  type NodeFolders,
  getServerSchema,
  listNodesKeyFiles,
  nodeFolders,
} from "../settings/node-settings.ts";
export { NOTIFY, findUrlProblem, isHeader } from "../settings/notify-settings.ts";
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
} from "../settings/sandbox-settings.ts";
export { getExportedEnvironment, resolveSecretText } from "../settings/secret-text.ts";
