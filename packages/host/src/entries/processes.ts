// For the other packages of Haft. Not public: it may change with any version.
export { toStoredInfo } from "../processes/past-process.ts";
export { getExecutionTarget } from "../processes/recorded-workspace.ts";
