// Internal entry: it can change with any version.
export type { DescribedPlugin, DescribedTool } from "../describe/describe-plugin.ts";
export { estimateToolTokens } from "../describe/estimate-tokens.ts";
export { hashFile } from "../describe/file-stamps.ts";
export { bypassCapture, captureStdout } from "../load/capture-stdout.ts";
export { getPinGuard } from "../load/pinned-plugin.ts";
export { resolvePluginConfig } from "../load/plugin-config.ts";
export { type PluginRecord, PluginRecords } from "../load/plugin-record.ts";
export { reportPlugin, reportRecord } from "../load/plugin-report.ts";
export { getPackageFolder, getPluginPath, isPath } from "../load/resolve-plugin.ts";
export { handleUncaught } from "../load/run-plugin-code.ts";
export { compareManifest } from "../manifest/compare-manifest.ts";
export { MANIFEST_FILE, toManifest } from "../manifest/manifest.ts";
export { findManifestFile, readManifestFile } from "../manifest/read-manifest.ts";
export {
  type OpenPluginsOptions,
  type OpenedPlugins,
  getNamedPath,
  getPluginRecord,
  openPlugins,
} from "../open/open-plugins.ts";
export { getPackageManager, installPackage, vendorArchive } from "../packages/install-package.ts";
export { InstallSnapshot, getDiskFullFix, writePackageFile } from "../packages/install-snapshot.ts";
export { listAncestorFolders } from "../packages/package-managers.ts";
export { type PackageSpec, parsePackageName, parsePackageSpec } from "../packages/package-spec.ts";
export { readDependency, readPackageJson } from "../packages/read-dependency.ts";
