export { CREDENTIAL_PATTERNS } from "./boundary/credential-patterns.ts";
export { createHostWorkspace, type HostWorkspaceOptions } from "./files/host-workspace.ts";
export { createHostNetwork, type HostNetworkOptions } from "./network/host-network.ts";
export { PROJECT_SETTINGS } from "./boundary/start-files.ts";
export { checkedEnvironment } from "./run/environment/environment.ts";
export { createHostProcesses } from "./processes/host-processes.ts";
export type { HostProcesses, HostProcessesOptions } from "./processes/host-processes.ts";
export { type HostTarget, openHostTarget } from "./processes/session-workspace.ts";
export type { IsolationOptions } from "./processes/open-runner.ts";
