export { openNatsBus } from "./open-nats-bus.ts";
export { serverPermissions, type ServerPermissionsOptions } from "./server-permissions.ts";
export type { NatsBusOptions } from "./options.ts";
