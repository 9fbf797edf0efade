// Not public; may change with any version.
export { SandboxHostSockets } from "./host-sockets/sandbox-host-sockets.ts";
export { listedNetwork } from "./network/listed-network.ts";
export { refusingNetwork } from "./network/listed-network.ts";
export { resolveLifetime } from "./launch/resolve-lifetime.ts";
export { endPlanter } from "./view/artifacts/planters/end-planter.ts";
export { type GitMounts, findGitMounts, formatUnsearchedNotice } from "./view/git/git-mounts.ts";
export { type GitBroker, openGitBroker } from "./view/git/open-git-broker.ts";
export { requireEntry, rootRights } from "./view/file-rights/root-rights.ts";
export { probeFileTimes } from "./view/file-times/probe-file-times.ts";
export { createArtifactScanner, type ArtifactScanner } from "./view/artifacts/create-artifact-scanner.ts";
export { finishScans } from "./view/artifacts/finish-scans.ts";
export { abstractSockets } from "./view/network/full/abstract-sockets.ts";
export type { Attached } from "./view/network/full/attach.ts";
export { findFullNetwork, type FullNetwork } from "./view/network/full/full-network.ts";
export type { Forward } from "./view/network/open-forwards.ts";
export {
  networkEnvironment,
  type NetworkOptions,
  openNetwork,
  type ViewNetwork,
} from "./view/network/open-network.ts";
export type { ProxyRefusal } from "./view/network/proxy/refusal.ts";
export { indexLines, registryLines, type Registries } from "./view/network/registry-lines.ts";
export {
  listQuarantined,
  type QuarantineEntry,
  type RestoreResult,
  restoreQuarantined,
} from "./view/quarantine/restore-quarantined.ts";
export { findTrackedSecrets } from "./view/tracked/tracked-secrets.ts";
export { openView } from "./view/open-view.ts";
export { probeView, type ViewProbe } from "./view/probe-view.ts";
export type { View, ViewDescription } from "./view/view.ts";
export type { OpenNamespaces, ViewOptions, ViewSpec } from "./view/view-spec.ts";
export type { SandboxScope, SandboxLimits, SandboxMount, ProtectedPath, SandboxUsage } from "./backend.ts";
