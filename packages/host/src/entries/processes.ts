// For the packages beside this one. Not public: it may change with any version.
export { toStoredInfo } from "../processes/past-process.ts";
export { getExecutionTarget } from "../processes/recorded-workspace.ts";
