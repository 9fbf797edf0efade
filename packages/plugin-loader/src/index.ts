export type { PluginProblem } from "./describe/describe-plugin.ts";
export type { PinnedPackage, RuntimeFailure } from "./load/plugin-record.ts";
export type { PluginReport, PluginToolReport } from "./load/plugin-report.ts";
export type { Manifest, ManifestTool } from "./manifest/manifest.ts";
export { type OptionalPackage, loadOptionalPackage } from "./packages/optional-package.ts";
