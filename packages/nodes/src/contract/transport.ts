import type { NodeDeclaration } from "./declaration.ts";
import type { Answer, Invocation } from "./invocation.ts";
import type { NodeUsage } from "./usage.ts";
import type { OpenedWorkspace, WorkspaceOpening } from "./workspace.ts";

/** Describes a discovered node by its unverified statements. */
export interface DiscoveredNode {
  /** Identifies the node. */
  readonly id: string;
  /** Contains the name that the node states. */
  readonly name: string;
  /** States whether the node accepts pairings with new hosts. */
  readonly pairing: boolean;
}

/**
 * Describes an open link to a node with proven identity.
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
  /** States that the link was closed or lost, so the next call opens another. */
  readonly closed: boolean;
  /**
   * Sends an invocation once. An abort is forwarded to the node, whose answer is the result.
   *
   * @param options.mostBytes maximum bytes of the answer; a longer answer is not fetched
   * (`NODE_ANSWER_INVALID`)
   * @throws HaftError with the receipt `none` if not dispatched, or `unknown` (`NODE_OUTCOME_UNKNOWN`) if
   * uncertain
   */
  invoke(invocation: Invocation, options: { signal: AbortSignal; mostBytes: number }): Promise<Answer>;
  /**
   * Opens a workspace of the node. The stream's content and end are statements of the node. Its `close`
   * throws `NODE_NOT_ENDED` if the node does not confirm the end.
   *
   * @throws HaftError `NODE_…`, or the node's reason; then nothing runs
   */
  open(
    opening: WorkspaceOpening,
    options: { signal: AbortSignal; limitMs: number },
  ): Promise<OpenedWorkspace>;
  /**
   * Returns whether the node sent a message in the last second or answers now. Never throws. @param limitMs
   * milliseconds for the answer
   */
  answers(limitMs: number): Promise<boolean>;
  /**
   * Returns the resource usage that the node reports, if any. Never throws. Absent if the transport does not
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
  /** Contains the code to compare, as `1234 5678`. It equals the node's code unless an attacker intercepts messages. */
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
   * @throws HaftError `NODE_UNREACHABLE`, `NODE_NOT_PAIRED`, `NODE_DECLARATION_INVALID`; nothing was
   * dispatched
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
