import { defineTool, type Tool, Type } from "@haft/plugin-sdk";
import type { Nodes } from "../host/nodes.ts";
import { planNodeInvoke, type PlannedInvocation, planInvocation } from "./plan-node-invoke.ts";

const nodeInvokeSchema = Type.Object({
  node: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: "Name or id of the node. Not needed if a single node offers the command.",
    }),
  ),
  command: Type.String({
    minLength: 1,
    maxLength: 64,
    description: "Command of the node, such as camera.snap.",
  }),
  params: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: "Parameters of the command, by name." }),
  ),
  timeoutMs: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 3_600_000,
      description: "Time limit in milliseconds; 60000 by default.",
    }),
  ),
});

interface NodeInvokeDetails {
  node: string;
  name: string;
  command: string;
  result: Record<string, unknown>;
}

/**
 * Creates the `node_invoke` tool. It resolves the node from approvals before the policy decides, and calls
 * this target. Rules name it as `node_invoke(node:kitchen, arg:command=camera.*)`.
 *
 * A call fails with `NODE_UNKNOWN`, `NODE_AMBIGUOUS`, `NODE_NEEDED`, `NODE_NOT_OFFERED`, `NODE_NOT_APPROVED`,
 * `NODE_DENIED`, `NODE_CHANGED` or `NODE_REVOKED`; with `INVALID_ARGUMENTS` for unfit `params`; or with the
 * node's error.
 */
export function createNodeInvokeTool(nodes: Nodes): Tool<typeof nodeInvokeSchema, NodeInvokeDetails> {
  return defineTool<typeof nodeInvokeSchema, NodeInvokeDetails>({
    name: "node_invoke",
    label: "Node",
    description: `Runs a command that another machine (a node) offers.${listOffers(nodes)}`,
    parameters: nodeInvokeSchema,
    // The union; a plan has its command's effects.
    effects: ["read", "write", "execute", "network", "message"],
    aliases: {
      node: ["nodeId", "node_id"],
      command: ["invokeCommand"],
      params: ["invokeParams", "parameters"],
      timeoutMs: ["timeout_ms", "invokeTimeoutMs"],
    },
    otherNames: { "node-invoke": {} },
    groups: ["nodes"],
    progress: { volatileArguments: ["timeoutMs"], identicalRepeat: "run" },
    // The command has its own limit.
    deadlineMs: 0,
    wantsPlan: () => true,
    plan: (params) => planNodeInvoke(nodes, params),
    async execute(_toolCallId, params, signal, _onUpdate, context) {
      const planned = context.plan as PlannedInvocation | undefined;
      const { target, params: args } = planned ?? (await planInvocation(nodes.resolve(params), params));
      const { timeoutMs } = params;
      const { content, details, receipt } = await nodes.invoke({ target, params: args, timeoutMs, signal });
      const { id, name, command } = target;
      const named = { node: id, name, command: command.name, result: details };
      return { content, details: named, ...(receipt !== undefined && { receipt }) };
    },
  });
}

const MAX_LISTED_LENGTH = 800;

function listOffers(nodes: Nodes): string {
  const each = nodes
    .approved()
    .filter(({ commands }) => commands.length > 0)
    .map(({ name, commands }) => `${name}: ${commands.join(", ")}`);
  if (each.length === 0) return " No command is approved now.";
  let text = "";
  for (const [at, one] of each.entries()) {
    const more = ` ${one}.`;
    if (text.length + more.length > MAX_LISTED_LENGTH)
      return ` There are${text} And ${each.length - at} more nodes.`;
    text += more;
  }
  return ` There ${each.length === 1 ? "is" : "are"}${text}`;
}
