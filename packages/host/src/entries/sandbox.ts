// Internal to Haft: it may change with any version.
export { loadSandboxes, loadSandboxBackend } from "../sandbox/load-backend.ts";
export { requireMountable, toSandboxSpec } from "../sandbox/sandbox-spec.ts";
