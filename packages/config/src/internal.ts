// For the packages beside this one. Not public: it may change with any version.
export { formatAuditLine, isGuardedCall } from "./audit/audit-entry.ts";
export { disableRecording, isRecordingDisabled } from "./audit/disable-recording.ts";
export { createHostAudit, listAuditFiles } from "./audit/host-audit.ts";
export { configFolder } from "./boundary/config-folder.ts";
export {
  CODE_CONFIGURATION_NAMES,
  MACHINE_FILE,
  TEXT_CONFIGURATION_NAMES,
  getMachinePolicyPath,
  getUserConfigurationPaths,
  getWorkspaceConfigurationPaths,
} from "./boundary/configuration-paths.ts";
export {
  type EndpointRecord,
  parseEndpointOwner,
  readEndpoint,
  removeEndpoint,
  writeEndpoint,
} from "./boundary/endpoint-record.ts";
export { containsPath, removeNestedPaths } from "./boundary/haft-code.ts";
export { findHaftFolder, resolveBesideHaft } from "./boundary/haft-packages.ts";
export { isStateFolderListing, resolveStateFolder } from "./boundary/home-folder.ts";
export { HOST_BOUNDARY } from "./boundary/host-boundary.ts";
export { findHostCode } from "./boundary/host-code.ts";
export { openHostFiles, recoverChanges } from "./boundary/open-host-files.ts";
export { type GuardedPaths, findProtectedPaths } from "./boundary/protected-paths.ts";
export { getRealPath, realPathOrSelf, resolveRealPath } from "./boundary/real-path.ts";
export {
  type ReservedPaths,
  getReservedFolders,
  getReservedPatterns,
  temporaryFolders,
} from "./boundary/reserved-folders.ts";
export {
  chatsFolder,
  defaultStateFolder,
  getTemporaryStateFolder,
  snapshotsFolder,
} from "./boundary/state-folder.ts";
export {
  DEFAULT_ADDRESS,
  DEFAULT_AUDIT_BYTES,
  DEFAULT_AUDIT_FILES,
  DEFAULT_PORT,
  LOADING_MS,
} from "./defaults.ts";
export { readFileWithOwnership, readUserFile } from "./document/check-ownership.ts";
export { configInvalidError, formatProblem } from "./document/config-invalid.ts";
export { configSchema } from "./document/config-schema.ts";
export { dedupeByRule } from "./document/dedupe-by-rule.ts";
export {
  type Configuration,
  type ConfigurationCandidate,
  findConfiguration,
  findOperatorConfiguration,
  listWorkspaceConfigurations,
  readPathVariable,
} from "./document/find-configuration.ts";
export { CONFIG_FILE } from "./document/haft-config.ts";
export { isCode, withLoadingTimeout } from "./document/load-code.ts";
export { mergeConfig, mergeSandboxSetting } from "./document/merge-config.ts";
export { NETWORK } from "./document/network-settings.ts";
export {
  type PluginReference,
  attachPluginReference,
  formatConfigLocation,
  getEntryName,
  getPluginReference,
  getPluginSource,
  isEntry,
  transferPluginReference,
} from "./document/plugin-references.ts";
export { readMachinePolicy, readPolicyText, readYaml, readYamlFile } from "./document/policy-file.ts";
export {
  type ReadConfig,
  type WorkspaceConfig,
  readConfig,
  readWorkspaceConfig,
  toPolicyProblem,
} from "./document/read-config.ts";
export {
  listNatsKeyFiles,
  resolveBroker,
  toNodesSettings,
  toStoreSetting,
} from "./document/records/nats-settings.ts";
export { readRecordSettings } from "./document/records/read-record-settings.ts";
export { OPERATOR_ONLY_KEYS, findRecordProblems } from "./document/records/record-problems.ts";
export { RECORD_SETTINGS, parseBytes } from "./document/records/record-settings.ts";
export { TELEMETRY } from "./document/records/telemetry-settings.ts";
export { withScopeFiles } from "./document/scope-files.ts";
export { type TrustProposal, proposeTrust } from "./document/workspace/propose-trust.ts";
export { findRuleProblem, selectUsableRules } from "./document/workspace/rule-problems.ts";
export { dropUntrustedLoosening, toWorkspaceRules } from "./document/workspace/workspace-rules.ts";
export { readText } from "./files/read-text.ts";
export { shellWord } from "./files/shell-word.ts";
export { writeAtomically } from "./files/write-atomically.ts";
export {
  MCP_SERVER,
  OPERATORS_FILE,
  checkHostMcp,
  findServerProblem,
  redactServer,
} from "./settings/mcp-servers.ts";
export {
  NODES,
  type NodeFolders,
  getServerSchema,
  listNodesKeyFiles,
  nodeFolders,
} from "./settings/node-settings.ts";
export { NOTIFY, findUrlProblem, isHeader } from "./settings/notify-settings.ts";
export { resolvePath } from "./settings/resolve-path.ts";
export { ROOTS, SANDBOX_SETTINGS, SANDBOX_SETTINGS_BY_NAME } from "./settings/sandbox-schema.ts";
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
} from "./settings/sandbox-settings.ts";
export { getExportedEnvironment, resolveSecretText } from "./settings/secret-text.ts";
export { explainEndedTrust } from "./trust/check-trust.ts";
export { findInstalledPackage } from "./trust/covered-files.ts";
export { readPackage } from "./trust/covered-package.ts";
export { integrityInLockfile } from "./trust/lockfile.ts";
export {
  type GuardedModules,
  ModuleGuard,
  getModuleGuard,
  guardModuleCompiler,
  guardNamed,
  resolveHaftPackage,
  withoutQuery,
} from "./trust/module-guard.ts";
export type { TrustedPackage } from "./trust/trust-record.ts";
export { TrustStore } from "./trust/trust-store.ts";
