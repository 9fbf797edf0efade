export type * from "./backend.ts";
export { createBubblewrapBackend } from "./bubblewrap/bubblewrap-backend.ts";
export type { BubblewrapOptions } from "./bubblewrap/bubblewrap-backend.ts";
export { openSandbox } from "./open-sandbox.ts";
export type { OpenSandboxOptions, SandboxWorkspace } from "./open-sandbox.ts";
export { createSshBackend } from "./ssh/ssh-backend.ts";
export type { SshBackendOptions } from "./ssh/ssh-backend.ts";
export type { SshTarget } from "./ssh/ssh-arguments.ts";
