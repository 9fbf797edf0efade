export { type HostPlace, openHostPlace } from "../processes/host-place.ts";
export { MAX_TASKS } from "../processes/open-runner.ts";
export { expectGroup } from "../processes/session-group.ts";
export {
  createSessionWorkspace,
  type SessionWorkspace,
  withProcesses,
} from "../processes/session-workspace.ts";
