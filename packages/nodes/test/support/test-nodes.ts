import { onTestFinished } from "vitest";
import {
  type AnyNodeCommand,
  createIdentity,
  createNode,
  createNodes,
  type HaftNode,
  type Identity,
  type KnownHost,
  type LinkTransport,
  memoryRecords,
  type MessageBus,
  type NodePairing,
  type Nodes,
  type Records,
  type ServedNode,
  serveNode,
} from "../../src/index.ts";
import { linkTransportWithTimes } from "../../src/link/link-transport.ts";

/** A node that is served, and whom it knows. */
export interface TestNode {
  readonly identity: Identity;
  readonly node: HaftNode;
  readonly served: ServedNode;
  readonly hosts: Records<KnownHost>;
}

/** Serves commands as a node. */
export async function serveTestNode(
  bus: MessageBus,
  commands: readonly AnyNodeCommand[],
  { name = "kitchen", identity = createIdentity(), hosts = memoryRecords<KnownHost>() } = {},
): Promise<TestNode> {
  const node = createNode({ id: identity.id, name, commands });
  const served = await serveNode(node, { bus, identity, hosts });
  onTestFinished(() => served.close());
  return { identity, node, served, hosts };
}

/** A host, with what it decided. */
export interface TestHost {
  readonly identity: Identity;
  readonly transport: LinkTransport;
  readonly pairings: Records<NodePairing>;
  readonly nodes: Nodes;
}

/** What comes late on a busy machine still counts; what does not come is given up after seconds. */
const PATIENT = {
  aliveMs: 1_000,
  pollMs: 1_000,
  retryMs: 100,
  transitMs: 10_000,
  stopMs: 10_000,
  checkMs: 500,
};

/** So that nobody waits long for what does not come. */
export const IMPATIENT = {
  aliveMs: 1_000,
  pollMs: 300,
  retryMs: 100,
  transitMs: 1_000,
  stopMs: 7_000,
  checkMs: 500,
};

export function createTestHost(
  bus: MessageBus,
  { identity = createIdentity(), times = PATIENT, pairings = memoryRecords<NodePairing>() } = {},
): TestHost {
  const transport = linkTransportWithTimes({ bus, identity, name: "desk" }, times);
  const nodes = createNodes({ transport, pairings });
  onTestFinished(() => nodes.close());
  return { identity, transport, pairings, nodes };
}

/** As if they had been paired, and all of it approved. */
export async function approveTestNode(of: TestHost, { node, hosts }: TestNode): Promise<void> {
  hosts.write(of.identity.id, { name: "desk", pairedAt: 1 });
  of.pairings.write(node.id, { name: node.name, pairedAt: 1 });
  await of.nodes.approve(node.id);
}
