// For the packages beside this one. Not public: it may change with any version.
export { loadSandboxes } from "../sandbox/load-backend.ts";
export { requireMountable, toSandboxSpec } from "../sandbox/sandbox-spec.ts";
