export { createHost } from "./host.ts";
export type { Host, HostOptions, HostSessionOptions } from "./host.ts";
