// For the packages beside this one. Not public: it may change with any version.
export { type GitBroker, openGitBroker } from "./view/git/open-git-broker.ts";
export { createLookout, type LeftBehind, type Lookout } from "./view/left-behind/create-lookout.ts";
export { openNetwork, type ViewNetwork } from "./view/network/open-network.ts";
export { openView } from "./view/open-view.ts";
export { probeView, type ViewProbe } from "./view/probe-view.ts";
export type { View, ViewDescription } from "./view/view.ts";
export type { OpenNamespaces, ViewOptions, ViewSpec } from "./view/view-spec.ts";
