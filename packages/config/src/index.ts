export type { AuditEntry } from "./audit/audit-entry.ts";
export { type AuditItem, type AuditReadOptions, readAuditLog } from "./audit/read-audit-log.ts";
export { type HaftConfig, defineConfig } from "./document/haft-config.ts";
export type { PluginEntry } from "./document/plugin-references.ts";
export { type PolicyText, readPolicyFile } from "./document/policy-file.ts";
export type { SandboxSettings } from "./settings/sandbox-settings.ts";
export type { RecordSettings } from "./document/records/record-settings.ts";
