export { createHost } from "./host/host.ts";
export type { Host, HostBoundary, HostOptions, HostSessionOptions } from "./host/host.ts";
export { createFolderApprovals } from "./approvals/folder-approvals.ts";
export type { FolderApprovals, FolderApprovalsOptions } from "./approvals/folder-approvals.ts";
export { readPolicyFile } from "./host/policy-file.ts";
export type { PolicyText } from "./host/policy-file.ts";
export type { BuiltInBackend, SandboxSettings } from "./sandbox/settings.ts";
export { loadSandboxBackend } from "./sandbox/load-backend.ts";
