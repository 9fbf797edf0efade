// The commands of a session in a view of this machine, for hosts.
export { getViewEnvironment } from "./session-network.ts";
export {
  type ContainedGit,
  type ContainedNetwork,
  type ContainmentPlan,
  describeNetwork,
  planView,
} from "./plan-view.ts";
export { type ContainedView, type SessionViewOptions, openSessionView } from "./session-view.ts";
export { type ViewPaths, isPrivatePath } from "./view-paths.ts";
export { scanHostSockets } from "../host-sockets/scan-host-sockets.ts";
export { listedNetwork, refusingNetwork } from "../network/listed-network.ts";
export { rootRights } from "../view/file-rights/root-rights.ts";
export { type ViewProbe, probeView } from "../view/probe-view.ts";
export {
  type QuarantineEntry,
  listQuarantined,
  restoreQuarantined,
} from "../view/quarantine/restore-quarantined.ts";
