export type {
  ProtectedPath,
  SandboxBackend,
  SandboxConnection,
  SandboxLimits,
  SandboxMount,
  SandboxProbe,
  SandboxRef,
  SandboxScope,
  SandboxSpec,
  SandboxUsage,
} from "./backend.ts";
export { type BubblewrapOptions, createBubblewrapBackend } from "./bubblewrap/bubblewrap-backend.ts";
export { sandboxKey } from "./launch/sandbox-ref.ts";
export { openSandbox, type SandboxWorkspace } from "./session/open-sandbox.ts";
export type { OpenSandboxOptions } from "./session/open-options.ts";
export { createSandboxRuntimeBackend } from "./sandbox-runtime/sandbox-runtime-backend.ts";
export type { SandboxRuntimeOptions } from "./sandbox-runtime/sandbox-runtime-backend.ts";
export { createSshBackend, type SshBackendOptions } from "./ssh/ssh-backend.ts";
export type { SshTarget } from "./ssh/ssh-arguments.ts";
export { createDockerBackend, type DockerOptions } from "./docker/docker-backend.ts";
export { createNodeBackend, type NodeBackendOptions } from "./node/node-backend.ts";
export { offerWorkspace, type OfferWorkspaceOptions } from "./node/offer-workspace.ts";
export type { OfferedWorkspace } from "./node/offered-workspace.ts";
export { resolveLifetime } from "./launch/resolve-lifetime.ts";
