// For the packages beside this one. Not public: it may change with any version.
export { type DeliveryStatus, awaitDelivery } from "./approvals/await-delivery.ts";
export { formatCallLine } from "./approvals/format-call-line.ts";
export { formatNotice, toNotice } from "./approvals/notify/notice-text.ts";
export { ContainmentManager } from "./contained/containment-manager.ts";
export { type ReadOptions, findHostConfiguration } from "./host/configured-options.ts";
export { isLedger, isShared } from "./host/host-state.ts";
export { type HostInternals, getHostInternals } from "./host/internals/host-internals.ts";
export type { OpenSession } from "./host/internals/open-session.ts";
export { openConfiguredNatsStore, openFolderStore, stateFile } from "./host/open-store.ts";
export { type ReplacementRules, readEffectiveOptions } from "./host/read-rules.ts";
export { rewindFiles } from "./host/rewind-files.ts";
export { type PluginSurvey, surveyPlugins } from "./host/survey-plugins.ts";
export { forgetCredentials, openCredentials } from "./mcp/credentials.ts";
export { type KnownServer, explainBlocked, listKnownServers, toAcceptedServer } from "./mcp/known-servers.ts";
export {
  type AcceptedTools,
  type StoredServer,
  type StoredServers,
  changeOperatorsFile,
  hashSettings,
  readOperatorsFile,
} from "./mcp/operators-file.ts";
export { ServerChangeStore, isChanged } from "./mcp/server-changes.ts";
export { ServerEnvironments } from "./mcp/server-environments.ts";
export { claimRole, isClaimed } from "./nodes/node-role.ts";
export { openBus } from "./nodes/open-bus.ts";
export { toStoredInfo } from "./processes/past-process.ts";
export { getExecutionTarget } from "./processes/recorded-workspace.ts";
export { loadSandboxes } from "./sandbox/load-backend.ts";
export { requireMountable, toSandboxSpec } from "./sandbox/sandbox-spec.ts";
export { getAddressFile, removeStaleFiles } from "./serve/remove-stale-files.ts";
export { TokenRegistry, ensureOperatorToken } from "./serve/token-registry.ts";
export { SnapshotStore } from "./snapshots/snapshot-store.ts";
export type { SkippedEntry, Snapshot } from "./snapshots/snapshot.ts";
export { takeSnapshot } from "./snapshots/take-snapshot.ts";
