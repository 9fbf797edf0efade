export {
  type SandboxedTools,
  type SandboxedToolsOptions,
  createSandboxedTools,
} from "./bound/sandboxed-tools.ts";
export type { ContainedGit, ContainedNetwork, ContainmentPlan } from "./contained/containment-plan.ts";
export type { SessionContainment } from "./contained/containment.ts";
export type { HostOptions, HostSessionOptions } from "./host/host-options.ts";
export { type Host, createHost } from "./host/host.ts";
export type { Reload, ReloadProblem } from "./host/reload.ts";
export { loadSandboxBackend } from "./sandbox/load-backend.ts";
export type { SessionObserver } from "./telemetry/host-telemetry.ts";
export type {
  HostCommandOptions,
  HostFolderOptions,
  HostPluginOptions,
  HostPolicyOptions,
  HostReportOptions,
  HostSandboxOptions,
  HostStorageOptions,
} from "./host/option-groups.ts";
