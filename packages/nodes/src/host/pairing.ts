import type { NodeDeclaration } from "../contract/declaration.ts";

/**
 * The stored decisions of a host's operator about a node.
 *
 * @example
 * ```ts
 * import type { NodePairing } from "@haft/nodes";
 * const isUsable = ({ approved, changed, revokedAt }: NodePairing) =>
 *   approved !== undefined && changed === undefined && revokedAt === undefined;
 * ```
 */
export interface NodePairing {
  /** Name for policies, calls and people, given by the operator independently of the name that the node states. */
  readonly name: string;
  /** Time of the pairing, in milliseconds since the epoch. */
  readonly pairedAt: number;
  /** The approved declaration. */
  readonly approved?: {
    /** Time of the approval, in milliseconds since the epoch. */
    readonly at: number;
    /** Everything that the node declared. */
    readonly declaration: NodeDeclaration;
    /** Approved commands. */
    readonly commands: readonly string[];
  };
  /** The new declaration of a node that has changed: the node is held back until it is reviewed. */
  readonly changed?: NodeDeclaration;
  /** Time of the revocation, in milliseconds since the epoch: no message of the node is accepted since. */
  readonly revokedAt?: number;
}

/** `new`: nothing is approved yet. `changed`: held back, because the declaration differs from the approved one. */
export type NodeState = "new" | "approved" | "changed" | "revoked";

export function getNodeState({ approved, changed, revokedAt }: NodePairing): NodeState {
  if (revokedAt !== undefined) return "revoked";
  if (approved === undefined) return "new";
  return changed === undefined ? "approved" : "changed";
}
