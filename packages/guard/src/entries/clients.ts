// Internal entry: it can change with any version.
export { isGuardRequest } from "../approvals/guard-call-id.ts";
export { iterateAncestors } from "../clients/client-process.ts";
export { clientsFolder, isClientRunning, listGuardedClients } from "../clients/client-records.ts";
export { findParentSession } from "../clients/find-parent-session.ts";
export { findProcess } from "../clients/find-process.ts";
