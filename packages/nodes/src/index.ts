export {
  type AnyNodeCommand,
  type CommandSchema,
  defineNodeCommand,
  type NodeCommand,
  type NodeCommandContext,
} from "./contract/command.ts";
export type { DeclaredCommand, NodeDeclaration } from "./contract/declaration.ts";
export { type DeclarationChange, declarationChanges } from "./contract/declaration-changes.ts";
export type { Answer, AnswerError, Invocation } from "./contract/invocation.ts";
export { memoryRecords, type Records } from "./contract/records.ts";
export type { DiscoveredNode, NodeLink, NodeTransport, PairingOffer } from "./contract/transport.ts";
export type { NodeUsage } from "./contract/usage.ts";
export { createNodes } from "./host/create-nodes.ts";
export type { ApprovedNode, NodeCall, Nodes, NodesOptions, NodeStatus, WorkspaceCall } from "./host/nodes.ts";
export type { NodePairing, NodeState } from "./host/pairing.ts";
export type { NodeTarget, NodeSelector, WorkspaceTarget, WorkspaceSelector } from "./host/resolve-node.ts";
export { createLocalTransport } from "./local/local-transport.ts";
export { createNode, type HaftNode, type NodeOptions } from "./node/create-node.ts";
export { createIdentity, type Identity, openIdentity } from "./keys/identity.ts";
export type { LinkCounts } from "./link/key-agreement.ts";
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
export type { OfferedTool, OfferingSession } from "./offer/offered-tool.ts";
export type {
  DeclaredWorkspace,
  NodeWorkspace,
  OpenedWorkspace,
  WorkspaceEnd,
  WorkspaceOpening,
  WorkspaceRequest,
} from "./contract/workspace.ts";
