import type { NodeDeclaration } from "./declaration.ts";
import type { Answer, Invocation } from "./invocation.ts";
import type { NodeUsage } from "./usage.ts";
import type { OpenedWorkspace, WorkspaceOpening } from "./workspace.ts";

/** A node that can be met, whether or not it is paired. What it says of itself is not checked by anybody yet. */
export interface DiscoveredNode {
  /** Identity of the node. */
  readonly id: string;
  /** As it calls itself. */
  readonly name: string;
  /** It takes hosts now that are not paired with it yet. */
  readonly pairing: boolean;
}

/** An open way to one node that proved who it is. */
export interface NodeLink {
  /** What the node offers, as it says. */
  readonly declaration: NodeDeclaration;
  /** It was closed, or lost: another one is opened for the next call. */
  readonly closed: boolean;
  /**
   * Sends an invocation, once. A signal is carried to the node; what it answers then is the answer.
   *
   * @param options.mostBytes of the answer; a longer one is not fetched (`NODE_ANSWER_INVALID`)
   * @throws HaftError whose receipt is `none` where it was not dispatched, and `unknown` (`NODE_OUTCOME_UNKNOWN`) where
   * nobody can tell
   */
  invoke(invocation: Invocation, options: { signal: AbortSignal; mostBytes: number }): Promise<Answer>;
  /**
   * Opens a workspace of the node. What is read from its stream, and of its end, is what the node says. `close` of it throws
   * `NODE_NOT_ENDED` where the node does not say that it has ended it.
   *
   * @throws HaftError `NODE_…`, or what the node says why not: nothing runs then
   */
  open(
    opening: WorkspaceOpening,
    options: { signal: AbortSignal; limitMs: number },
  ): Promise<OpenedWorkspace>;
  /** Whether the node is there: it was heard in the last second, or answers now. Never throws. @param limitMs how long it has */
  answers(limitMs: number): Promise<boolean>;
  /**
   * What the node uses of what it has, as it says; `undefined` where it does not say it. Never throws. Absent where nodes are not asked.
   *
   * @param limitMs how long it has
   */
  use?(limitMs: number): Promise<NodeUsage | undefined>;
  /** Nothing more is begun on it; what is under way goes on. */
  close(): void;
}

/** A pairing that two people, or one in front of two screens, have still to agree to. */
export interface PairingOffer {
  /** The node. */
  readonly node: DiscoveredNode;
  /** What it offers. */
  readonly declaration: NodeDeclaration;
  /** The same as the node shows, unless somebody is in between: eight digits, as `1234 5678`. */
  readonly code: string;
}

/** How a host reaches nodes. */
export interface NodeTransport {
  /** The host as nodes know it. */
  readonly hostId: string;
  /** Nodes that answer within the time. */
  discover(waitMs: number): Promise<readonly DiscoveredNode[]>;
  /**
   * Opens a way to a node.
   *
   * @throws HaftError `NODE_UNREACHABLE`, `NODE_NOT_PAIRED`, `NODE_DECLARATION_INVALID`: nothing was dispatched
   */
  link(nodeId: string, limitMs: number): Promise<NodeLink>;
  /** Begins a pairing. Absent where nodes are the host's own. @throws HaftError `NODE_PAIRING_FAILED`, `NODE_UNREACHABLE` */
  pair?(nodeId: string): Promise<PairingOffer>;
  /** Lets go of all. */
  close(): Promise<void>;
}
