export {
  type SandboxedTools,
  type SandboxedToolsOptions,
  createSandboxedTools,
} from "./bound/sandboxed-tools.ts";
export type { HostOptions, HostSessionOptions } from "./host/host-options.ts";
export { type Host, createHost } from "./host/host.ts";
export type {
  HostCommandOptions,
  HostFolderOptions,
  HostPluginOptions,
  HostPolicyOptions,
  HostReportOptions,
  HostSandboxOptions,
  HostStorageOptions,
} from "./host/option-groups.ts";
