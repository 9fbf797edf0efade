import type { NodeDeclaration } from "../contract/declaration.ts";

/**
 * Contains an operator's stored decisions about a node.
 *
 * @example
 * ```ts
 * import type { NodePairing } from "@haft/nodes";
 * const isUsable = ({ approved, changed, revokedAt }: NodePairing) =>
 *   approved !== undefined && changed === undefined && revokedAt === undefined;
 * ```
 */
export interface NodePairing {
  /** Names the node for policies, calls and people, regardless of its own statement. */
  readonly name: string;
  /** Time of the pairing, in milliseconds since the epoch. */
  readonly pairedAt: number;
  /** Contains the approved declaration. */
  readonly approved?: {
    /** Time of the approval, in milliseconds since the epoch. */
    readonly at: number;
    /** Contains everything that the node declared. */
    readonly declaration: NodeDeclaration;
    /** Names the approved commands. */
    readonly commands: readonly string[];
  };
  /** Contains a changed node's new declaration, which awaits review. */
  readonly changed?: NodeDeclaration;
  /** Time of the revocation, in milliseconds since the epoch. Later messages are ignored. */
  readonly revokedAt?: number;
}

/** Names the state of a node. `new`: without approval. `changed`: held back because of a different declaration. */
export type NodeState = "new" | "approved" | "changed" | "revoked";

export function getNodeState({ approved, changed, revokedAt }: NodePairing): NodeState {
  if (revokedAt !== undefined) return "revoked";
  if (approved === undefined) return "new";
  return changed === undefined ? "approved" : "changed";
}
