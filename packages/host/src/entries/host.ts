// Internal to Haft: it may change with any version.
export { type ReadOptions, findHostConfiguration, readMcpSettings } from "../host/configured-options.ts";
export { isLedger, isShared } from "../host/host-state.ts";
export { type HostInternals, getHostInternals } from "../host/internals/host-internals.ts";
export type { OpenSession } from "../host/internals/open-session.ts";
export { type ReplacementRules, readEffectiveOptions, replaceConfiguredPolicy } from "../host/read-rules.ts";
export { rewindFiles } from "../host/rewind-files.ts";
export { type PluginSurvey, surveyPlugins } from "../host/survey-plugins.ts";
export type { Reload } from "../host/reload.ts";
