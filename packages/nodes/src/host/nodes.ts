import type { Logger, ToolResult } from "@haft/core";
import type { DeclarationChange } from "../contract/declaration-changes.ts";
import type { NodeDeclaration } from "../contract/declaration.ts";
import type { Records } from "../contract/records.ts";
import type { NodeTransport, PairingOffer } from "../contract/transport.ts";
import type { NodeUsage } from "../contract/usage.ts";
import type { OpenedWorkspace, WorkspaceRequest } from "../contract/workspace.ts";
import type { NodePairing, NodeState } from "./pairing.ts";
import type { NodeTarget, NodeSelector, WorkspaceTarget, WorkspaceSelector } from "./resolve-node.ts";

/**
 * Options of `createNodes`.
 *
 * @example
 * ```ts
 * import { createLocalTransport, type NodesOptions } from "@haft/nodes";
 * const options: NodesOptions = {
 *   transport: createLocalTransport([]),
 *   policy: { deny: ["camera.*", "kitchen:lock.open"] },
 *   logger: console,
 * };
 * ```
 */
export interface NodesOptions {
  /** The transport that reaches nodes. */
  readonly transport: NodeTransport;
  /** The operator's decisions. Default: in memory, so that nothing is approved after a restart. */
  readonly pairings?: Records<NodePairing>;
  /** Rules that take precedence over approvals. */
  readonly policy?: {
    /** Commands that are never called: `camera.*`, or of one node `kitchen:camera.*`; workspaces as `workspace.project`. */
    readonly deny?: readonly string[];
  };
  /** Receives a warning when a node is held back. */
  readonly logger?: Pick<Logger, "warn">;
}

/**
 * Status of one node.
 *
 * @example
 * ```ts
 * import type { NodeStatus } from "@haft/nodes";
 * const needsReview = ({ state, changes = [] }: NodeStatus) => state === "new" || changes.length > 0;
 * ```
 */
export interface NodeStatus {
  /** Id of the node. */
  readonly id: string;
  /** Name given by the operator; before that, the name that the node states. */
  readonly name: string;
  /** State of the node's approval. */
  readonly state: NodeState;
  /** Whether the node answered just now and proved its identity. */
  readonly present: boolean;
  /** What the node declares, if it is known. */
  readonly declared?: NodeDeclaration;
  /** Digest of {@link declared}. An approval contains it, so that exactly the reviewed declaration is approved. */
  readonly digest?: string;
  /** Approved commands, and approved workspaces (`workspace.NAME`). */
  readonly approved: readonly string[];
  /** Resource usage, if it was requested and the node reports it. */
  readonly use?: NodeUsage;
  /** Differences from the approved declaration. */
  readonly changes?: readonly DeclarationChange[];
}

/** A node with its approved commands and workspaces. */
export interface ApprovedNode {
  /** Id of the node. */
  readonly id: string;
  /** Name given by the operator. */
  readonly name: string;
  /** Names of approved commands. */
  readonly commands: readonly string[];
  /** Names of approved workspaces, without a prefix. */
  readonly workspaces: readonly string[];
}

/** A call that the policy has decided about. */
export interface NodeCall {
  /** Target of the call, from {@link Nodes.resolve}. */
  readonly target: NodeTarget;
  /** Parameters in canonical form. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Milliseconds for the call. Default 60,000, limited by the command. */
  readonly timeoutMs?: number | undefined;
  /** Cancels the call, on the node, too. */
  readonly signal?: AbortSignal | undefined;
}

/** A workspace to open, after the policy has decided about it. */
export interface WorkspaceCall extends Partial<Omit<WorkspaceRequest, "hostId">> {
  /** Target, from {@link Nodes.resolveWorkspace}. Properties that are absent have the declared values. */
  readonly target: WorkspaceTarget;
  /** Milliseconds for the opening. Default 30,000. */
  readonly timeoutMs?: number;
  /** Cancels the opening, on the node, too. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The nodes of a host: list, pair, approve, and call them. {@link createNodes} makes it.
 *
 * @example
 * ```ts
 * import type { Nodes } from "@haft/nodes";
 * declare const nodes: Nodes;
 * const [node] = await nodes.list({ use: true });
 * if (node?.state === "new") await nodes.approve(node.id, { commands: ["lamp.blink"], name: "workshop" });
 * ```
 */
export interface Nodes {
  /**
   * Returns every node that is paired or belongs to the host, with its declaration and presence.
   *
   * @param options.use whether to request the resource usage of each node, which takes a quarter of a second
   */
  list(options?: { use?: boolean }): Promise<readonly NodeStatus[]>;
  /**
   * Starts a pairing with a node: both sides show the same code, and a person compares them. `accept` stores the node without
   * approving anything of it. A revoked node can be paired again.
   *
   * @throws HaftError `NODE_PAIRING_FAILED`, `NODE_UNREACHABLE`, `NODE_OPTIONS_INVALID` if nodes belong to the host itself
   */
  pair(id: string): Promise<PairingOffer & { accept(): void }>;
  /**
   * Approves commands and workspaces of a node. The node must be present: its current declaration is approved.
   *
   * @param options.commands names of commands, and workspaces as `workspace.NAME`; default: everything that the node offers
   * @param options.digest digest of the reviewed declaration: throws `NODE_CHANGED` if the node now declares something else
   * @param options.name name for policies and calls; throws `NODE_AMBIGUOUS` if another node has it
   */
  approve(
    id: string,
    options?: { commands?: readonly string[]; digest?: string; name?: string },
  ): Promise<NodeStatus>;
  /** Revokes a node immediately: running calls are aborted, and no message of it is accepted. */
  revoke(id: string): void;
  /** Returns the nodes with approved commands or workspaces, from stored decisions. */
  approved(): readonly ApprovedNode[];
  /**
   * Resolves a node and a command from stored decisions, without asking a node.
   *
   * @throws HaftError `NODE_…`
   */
  resolve(wish: NodeSelector): NodeTarget;
  /**
   * Resolves a node and a workspace from stored decisions, without asking a node.
   *
   * @throws HaftError `NODE_…`
   */
  resolveWorkspace(wish: WorkspaceSelector): WorkspaceTarget;
  /**
   * Opens a workspace. The content of its stream, and its end, are statements of the node. It ends with the approval of its
   * node; a node without a message for 20 seconds counts as lost.
   *
   * @throws HaftError `NODE_…`, or the node's reason: nothing runs then. Its `close` throws `NODE_NOT_ENDED`
   */
  openWorkspace(call: WorkspaceCall): Promise<OpenedWorkspace>;
  /**
   * Calls a command, once.
   *
   * @throws HaftError whose receipt says whether the command may have run
   */
  invoke(call: NodeCall): Promise<ToolResult<Record<string, unknown>>>;
  /** Closes all links; running calls are aborted. */
  close(): Promise<void>;
}
