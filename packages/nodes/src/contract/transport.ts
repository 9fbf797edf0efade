import type { NodeDeclaration } from "./declaration.ts";
import type { Answer, Invocation } from "./invocation.ts";
import type { NodeUsage } from "./usage.ts";
import type { OpenedWorkspace, WorkspaceOpening } from "./workspace.ts";

/** Describes a discovered node, paired or not. Its statements are not verified. */
export interface DiscoveredNode {
  /** Identifies the node. */
  readonly id: string;
  /** Contains the name that the node states. */
  readonly name: string;
  /** States whether the node currently accepts pairings with new hosts. */
  readonly pairing: boolean;
}

/**
 * Describes an open link to a node that has proved its identity.
 *
 * @example
 * ```ts
 * import type { NodeTransport } from "@haft/nodes";
 * declare const transport: NodeTransport;
 * const link = await transport.link("workshop", 5_000);
 * console.log(link.declaration.commands.map(({ name }) => name), await link.answers(1_000));
 * link.close();
 * ```
 */
export interface NodeLink {
  /** Contains the node's declaration. */
  readonly declaration: NodeDeclaration;
  /** States whether the link was closed or lost: the next call opens another. */
  readonly closed: boolean;
  /**
   * Sends an invocation, once. An abort of the signal is forwarded to the node; the node's answer to it is the result.
   *
   * @param options.mostBytes maximum size of the answer in bytes; a longer answer is not fetched (`NODE_ANSWER_INVALID`)
   * @throws HaftError with the receipt `none` if it was not dispatched, or `unknown` (`NODE_OUTCOME_UNKNOWN`) if that is uncertain
   */
  invoke(invocation: Invocation, options: { signal: AbortSignal; mostBytes: number }): Promise<Answer>;
  /**
   * Opens a workspace of the node. The content of its stream, and its end, are statements of the node. Its `close` throws `NODE_NOT_ENDED`
   * if the node does not confirm the end.
   *
   * @throws HaftError `NODE_…`, or the node's reason: nothing runs then
   */
  open(
    opening: WorkspaceOpening,
    options: { signal: AbortSignal; limitMs: number },
  ): Promise<OpenedWorkspace>;
  /**
   * Returns whether the node sent a message in the last second, or answers now. Never throws. @param limitMs milliseconds for the answer
   */
  answers(limitMs: number): Promise<boolean>;
  /**
   * Returns the resource usage that the node reports; `undefined` if it does not report any. Never throws. Absent if the transport does not
   * ask nodes.
   *
   * @param limitMs milliseconds for the answer
   */
  use?(limitMs: number): Promise<NodeUsage | undefined>;
  /** Closes the link for new calls; running calls continue. */
  close(): void;
}

/** Describes a pairing that people on both sides must confirm. */
export interface PairingOffer {
  /** Describes the node. */
  readonly node: DiscoveredNode;
  /** Contains the node's declaration. */
  readonly declaration: NodeDeclaration;
  /** Contains the code to compare, as `1234 5678`. It equals the code that the node shows, unless an attacker intercepts the messages. */
  readonly code: string;
}

/**
 * Connects a host to nodes. {@link createLocalTransport} and {@link createLinkTransport} create transports.
 *
 * @example
 * ```ts
 * import type { NodeTransport } from "@haft/nodes";
 * declare const transport: NodeTransport;
 * const found = await transport.discover(2_000);
 * const pairable = found.filter(({ pairing }) => pairing);
 * ```
 */
export interface NodeTransport {
  /** Identifies the host. */
  readonly hostId: string;
  /** Returns the nodes that answer within the time. */
  discover(waitMs: number): Promise<readonly DiscoveredNode[]>;
  /**
   * Opens a link to a node.
   *
   * @throws HaftError `NODE_UNREACHABLE`, `NODE_NOT_PAIRED`, `NODE_DECLARATION_INVALID`: nothing was dispatched
   */
  link(nodeId: string, limitMs: number): Promise<NodeLink>;
  /**
   * Starts a pairing. Absent if nodes belong to the host itself.
   *
   * @throws HaftError `NODE_PAIRING_FAILED`, `NODE_UNREACHABLE`
   */
  pair?(nodeId: string): Promise<PairingOffer>;
  /** Closes all links. */
  close(): Promise<void>;
}
