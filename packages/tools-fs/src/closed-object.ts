import { type TSchema, Type } from "@haft/plugin-sdk";

/** The parameters of a tool: these and no others. */
export function closedObject<Properties extends Record<string, TSchema>>(properties: Properties) {
  return Type.Object(properties, { additionalProperties: false });
}
