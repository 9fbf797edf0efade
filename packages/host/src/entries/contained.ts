// For the other packages of Haft. Not public: it may change with any version.
export { ContainmentManager } from "../contained/containment-manager.ts";
export type { SessionContainment } from "../contained/containment.ts";
