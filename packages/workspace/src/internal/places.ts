export { type HostPlace, openHostPlace } from "../processes/host-place.ts";
export {
  createSessionWorkspace,
  type SessionWorkspace,
  withProcesses,
} from "../processes/session-workspace.ts";
