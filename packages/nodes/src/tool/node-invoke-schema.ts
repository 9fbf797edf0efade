import { Type } from "@haft/plugin-sdk";

export const nodeInvokeSchema = Type.Object({
  node: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: "Name or id of the node. Not needed where just one offers the command.",
    }),
  ),
  command: Type.String({
    minLength: 1,
    maxLength: 64,
    description: "What the node shall do, such as camera.snap.",
  }),
  params: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: "Parameters of the command, by their names." }),
  ),
  timeoutMs: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 3_600_000,
      description: "Milliseconds it may take; 60000 by default.",
    }),
  ),
});

export interface NodeInvokeDetails {
  node: string;
  name: string;
  command: string;
  result: Record<string, unknown>;
}
