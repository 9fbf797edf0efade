// The whole contract, so that an author needs no other package, and TypeBox to write parameters with.
export * from "@haft/core";
export { type Static, type TSchema, Type } from "./type.ts";
