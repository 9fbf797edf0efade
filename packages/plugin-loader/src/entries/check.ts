// Internal entry: it can change with any version.
export type { CheckOrder } from "../check/check-lines.ts";
export { compareDescriptions } from "../check/compare-descriptions.ts";
export { checkManifest } from "../check/manifest-check.ts";
export { checkCopies, checkPackage } from "../check/package-checks.ts";
export { runCheck } from "../check/run-check.ts";
export { type AddOptions, type AddedPlugin, addPlugin, toPluginReference } from "../install/add-plugin.ts";
export {
  addConfiguredPlugin,
  formatPluginPath,
  listConfiguredPlugins,
} from "../install/configured-plugins.ts";
export { toFolderEntry } from "../install/folder-entry.ts";
export { type InstallTarget, findInstallTarget } from "../install/install-target.ts";
export { type RemovedPlugin, explainRetention, removePlugin } from "../install/remove-plugin.ts";
export { tryPlugin } from "../trial/try-plugin.ts";
