export { CREDENTIAL_PATTERNS } from "./deny.ts";
export type { HardLinkPolicy } from "./host.ts";
export { createHostWorkspace } from "./host-workspace.ts";
export type { HostWorkspaceOptions } from "./host-workspace.ts";
export { parsePath } from "./parse-path.ts";
export type { ParsedPath, PathContext } from "./parse-path.ts";
