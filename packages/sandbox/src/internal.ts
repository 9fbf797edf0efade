// For the packages beside this one. Not public: it may change with any version.
export { type GitBroker, openGitBroker } from "./view/git/open-git-broker.ts";
export { openNetwork, type ViewNetwork } from "./view/network/open-network.ts";
export { openView, type View, type ViewDescription } from "./view/open-view.ts";
export type { OpenNamespaces, ViewOptions, ViewSpec } from "./view/view-spec.ts";
export { probeView } from "./view/probe-view.ts";
