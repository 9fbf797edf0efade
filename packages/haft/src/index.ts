export { createHost, type Host } from "./host/host.ts";
export type { HostOptions, HostSessionOptions } from "./host/host-options.ts";
export type { HostBoundary } from "./boundary/host-boundary.ts";
export { createFolderApprovals } from "./approvals/folder-approvals.ts";
export type { FolderApprovals, FolderApprovalsOptions } from "./approvals/folder-approvals.ts";
export { type PolicyText, readPolicyFile } from "./host/policy-file.ts";
export type { BuiltInBackend, SandboxSettings } from "./sandbox/settings.ts";
export { loadSandboxBackend } from "./sandbox/load-backend.ts";
