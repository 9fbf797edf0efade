export {
  type AnyNodeCommand,
  type CommandSchema,
  defineNodeCommand,
  type NodeCommand,
  type NodeCommandContext,
} from "./contract/command.ts";
export type { NodeDeclaration } from "./contract/declaration.ts";
export { memoryRecords, type Records } from "./contract/records.ts";
export type { NodeTransport } from "./contract/transport.ts";
export { createNodes } from "./host/create-nodes.ts";
export type { Nodes, NodesOptions, NodeStatus } from "./host/nodes.ts";
export type { NodePairing } from "./host/pairing.ts";
export type { WorkspaceTarget } from "./host/resolve-node.ts";
export { createLocalTransport } from "./local/local-transport.ts";
export { createNode, type HaftNode, type NodeOptions } from "./node/create-node.ts";
export { createIdentity, type Identity, openIdentity } from "./keys/identity.ts";
export { createLinkTransport, type LinkTransport, type LinkTransportOptions } from "./link/link-transport.ts";
export type { BusMessage, MessageBus } from "./link/message-bus.ts";
export { type ServedNode, serveNode, type ServeNodeOptions } from "./link/serve-node.ts";
export { createNodesPlugin } from "./tool/nodes-plugin.ts";
export { type KnownHost, openKnownHosts } from "./link/known-hosts.ts";
export { openPairings, readPairing } from "./host/open-pairings.ts";
export type { PairingRequest } from "./link/pairing/pairing-window.ts";
export { pairNode, type PairNodeOptions, type PendingPairing } from "./link/pairing/pair-node.ts";
export { findDuplicateNode } from "./link/duplicate-identity.ts";
export { offerTools, type OfferToolsOptions, type ToolOffer } from "./offer/offer-tools.ts";
export type { NodeWorkspace } from "./contract/workspace.ts";
