// An author needs no other package: this exports the whole contract, and TypeBox for parameters.
export * from "@haft/core";
export { Type } from "./type.ts";
export type * from "./type.ts";
export { type ChannelAgentToolFactory, type ChannelDefinition, defineChannel } from "./define-channel.ts";
export { requireKnownOptions } from "@haft/core/internal";
export { withJsonSchema } from "./with-json-schema.ts";
