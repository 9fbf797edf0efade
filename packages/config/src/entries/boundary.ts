// Internal entry: it can change with any version.
export { configFolder } from "../boundary/config-folder.ts";
export {
  CODE_CONFIGURATION_NAMES,
  MACHINE_FILE,
  TEXT_CONFIGURATION_NAMES,
  getMachinePolicyPath,
  getUserConfigurationPaths,
  getWorkspaceConfigurationPaths,
} from "../boundary/configuration-paths.ts";
export {
  type EndpointRecord,
  parseEndpointOwner,
  readEndpoint,
  removeEndpoint,
  writeEndpoint,
} from "../boundary/endpoint-record.ts";
export { containsPath } from "../boundary/haft-code.ts";
export { findHaftFolder, resolveBesideHaft } from "../boundary/haft-packages.ts";
export { HOST_BOUNDARY, type HostBoundary } from "../boundary/host-boundary.ts";
export { findHostCode } from "../boundary/host-code.ts";
export { openHostFiles, recoverChanges } from "../boundary/open-host-files.ts";
export { type GuardedPaths, findProtectedPaths } from "../boundary/protected-paths.ts";
export { getRealPath, realPathOrSelf, resolveRealPath } from "../boundary/real-path.ts";
export {
  type ReservedPaths,
  getReservedFolders,
  getReservedPatterns,
  temporaryFolders,
} from "../boundary/reserved-folders.ts";
export {
  chatsFolder,
  defaultStateFolder,
  getTemporaryStateFolder,
  snapshotsFolder,
} from "../boundary/state-folder.ts";
