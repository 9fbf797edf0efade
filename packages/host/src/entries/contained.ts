// For the packages beside this one. Not public: it may change with any version.
export { ContainmentManager } from "../contained/containment-manager.ts";
