// Internal to Haft: it may change with any version.
export { toStoredInfo } from "../processes/past-process.ts";
export { getExecutionTarget } from "../processes/recorded-workspace.ts";
