// Internal entry: it can change with any version.
export { readFileWithOwnership, readUserFile } from "../document/check-ownership.ts";
export { configInvalidError, formatProblem } from "../document/config-invalid.ts";
export { configSchema } from "../document/config-schema.ts";
export { dedupeByRule } from "../document/dedupe-by-rule.ts";
export {
  type Configuration,
  type ConfigurationCandidate,
  findConfiguration,
  findOperatorConfiguration,
  listWorkspaceConfigurations,
  readPathVariable,
} from "../document/find-configuration.ts";
export { CONFIG_FILE } from "../document/haft-config.ts";
export { isCode, withLoadingTimeout } from "../document/load-code.ts";
export { mergeConfig, mergeSandboxSetting } from "../document/merge-config.ts";
export { NETWORK, type NetworkSettings } from "../document/network-settings.ts";
export {
  type PluginReference,
  attachPluginReference,
  formatConfigLocation,
  getEntryName,
  getPluginReference,
  getPluginSource,
  isEntry,
  transferPluginReference,
} from "../document/plugin-references.ts";
export { readMachinePolicy, readPolicyText, readYaml, readYamlFile } from "../document/policy-file.ts";
export {
  type ReadConfig,
  type WorkspaceConfig,
  readConfig,
  readWorkspaceConfig,
  toPolicyProblem,
} from "../document/read-config.ts";
export {
  listNatsKeyFiles,
  resolveBroker,
  toNodesSettings,
  toStoreSetting,
  type NatsSettings,
} from "../document/records/nats-settings.ts";
export { readRecordSettings } from "../document/records/read-record-settings.ts";
export { OPERATOR_ONLY_KEYS, findRecordProblems } from "../document/records/record-problems.ts";
export {
  RECORD_SETTINGS,
  parseBytes,
  type KeepSettings,
  type RecordSettings,
} from "../document/records/record-settings.ts";
export { TELEMETRY, type TelemetrySettings } from "../document/records/telemetry-settings.ts";
export { withScopeFiles } from "../document/scope-files.ts";
export { type TrustProposal, proposeTrust } from "../document/workspace/propose-trust.ts";
export { findRuleProblem, selectUsableRules } from "../document/workspace/rule-problems.ts";
export { dropUntrustedLoosening, toWorkspaceRules } from "../document/workspace/workspace-rules.ts";
export type { AuditSettings } from "../document/records/audit-settings.ts";
