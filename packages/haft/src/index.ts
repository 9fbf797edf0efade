export { builtInPlugins } from "./built-in-plugins.ts";
export { createHost } from "./host.ts";
export type { Host, HostOptions, HostSessionOptions } from "./host.ts";
