// Internal to Haft: it may change with any version.
export { claimRole, isClaimed } from "../nodes/node-role.ts";
export { openBus } from "../nodes/open-bus.ts";
