// Internal to Haft: it may change with any version.
export { ContainmentManager } from "../contained/containment-manager.ts";
export type { SessionContainment } from "../contained/containment.ts";
