import type { NodeDeclaration } from "../contract/declaration.ts";

/** What a host's operator decided about a node; kept. */
export interface NodePairing {
  /** As policies, calls and people name it: given by the operator, whatever the node calls itself. */
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly pairedAt: number;
  /** What was approved, as it was then. */
  readonly approved?: {
    /** Milliseconds since the epoch. */
    readonly at: number;
    /** All that the node offered. */
    readonly declaration: NodeDeclaration;
    /** Those of its commands that may be called. */
    readonly commands: readonly string[];
  };
  /** What it offers by now, where that is something else: the node is held back until somebody looked. */
  readonly changed?: NodeDeclaration;
  /** Milliseconds since the epoch: nothing of it is taken any more. */
  readonly revokedAt?: number;
}

/** `new`: nothing was approved yet. `changed`: held back, since it offers something else than was approved. */
export type NodeState = "new" | "approved" | "changed" | "revoked";

export function getNodeState({ approved, changed, revokedAt }: NodePairing): NodeState {
  if (revokedAt !== undefined) return "revoked";
  if (approved === undefined) return "new";
  return changed === undefined ? "approved" : "changed";
}
