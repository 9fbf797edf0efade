import {
  createIdentity,
  createLinkTransport,
  createLocalTransport,
  createNode,
  createNodes,
  type HaftNode,
  type KnownHost,
  memoryRecords,
  type MessageBus,
  type NodePairing,
  type Nodes,
  type NodeWorkspace,
  serveNode,
} from "../../src/index.ts";

/** A node that a host has paired and approved, and the way between them. */
export interface PairedNode {
  readonly node: HaftNode;
  readonly nodes: Nodes;
  close(): Promise<void>;
}

/** @param bus a new connection of each side; both in this process where there is none */
export async function pairedNode(
  workspaces: readonly NodeWorkspace[],
  bus?: () => Promise<MessageBus>,
): Promise<PairedNode> {
  const [nodeIdentity, desk] = [createIdentity(), createIdentity()];
  const node = createNode({ id: nodeIdentity.id, name: "kitchen", commands: [], workspaces });
  const hosts = memoryRecords<KnownHost>();
  hosts.write(desk.id, { name: "desk", pairedAt: 1 });
  const served = bus && (await serveNode(node, { bus: await bus(), identity: nodeIdentity, hosts }));
  const transport =
    bus === undefined
      ? createLocalTransport([node])
      : createLinkTransport({ bus: await bus(), identity: desk, name: "desk" });
  const pairings = memoryRecords<NodePairing>();
  pairings.write(node.id, { name: "kitchen", pairedAt: 1 });
  const nodes = createNodes({ transport, pairings });
  await nodes.approve(node.id);
  return {
    node,
    nodes,
    async close() {
      await nodes.close();
      await served?.close();
      await node.close();
    },
  };
}
