import { definePlugin, type Plugin } from "@haft/plugin-sdk";
import type { Nodes } from "../host/nodes.ts";
import { createNodeInvokeTool } from "./node-invoke.ts";

/** `node_invoke` as a plugin, whose tool is made for each session: it tells the model what may be called by then. */
export function createNodesPlugin(nodes: Nodes): Plugin {
  return definePlugin({
    id: "nodes",
    name: "Nodes",
    tools: [
      {
        names: ["node_invoke"],
        effects: ["read", "write", "execute", "network", "message"],
        factory: () => createNodeInvokeTool(nodes),
      },
    ],
  });
}
