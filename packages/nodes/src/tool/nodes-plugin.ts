import { definePlugin, type Plugin } from "@haft/plugin-sdk";
import type { Nodes } from "../host/nodes.ts";
import { createNodeInvokeTool } from "./node-invoke.ts";

/**
 * Creates a plugin with the tool `node_invoke`. Each session's tool describes the currently approved
 * commands.
 *
 * @example
 * ```ts
 * import { createNodesPlugin, type Nodes } from "@haft/nodes";
 * import { createHost } from "haft";
 * declare const nodes: Nodes;
 * const host = await createHost({ workspaceDir: "/srv/project", plugins: [createNodesPlugin(nodes)] });
 * ```
 */
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
