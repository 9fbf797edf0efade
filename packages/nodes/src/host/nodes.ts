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
 * Configures {@link createNodes}.
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
  /** Reaches nodes. */
  readonly transport: NodeTransport;
  /** Stores the operator's decisions. Default: in memory, so that nothing is approved after a restart. */
  readonly pairings?: Records<NodePairing>;
  /** Takes precedence over approvals. */
  readonly policy?: {
    /** Lists commands that are never called: `camera.*`, or `kitchen:camera.*` of one node; workspaces as `workspace.project`. */
    readonly deny?: readonly string[];
  };
  /** Receives a warning when a node is held back. */
  readonly logger?: Pick<Logger, "warn">;
}

/**
 * Describes the status of a node.
 *
 * @example
 * ```ts
 * import type { NodeStatus } from "@haft/nodes";
 * const needsReview = ({ state, changes = [] }: NodeStatus) => state === "new" || changes.length > 0;
 * ```
 */
export interface NodeStatus {
  /** Identifies the node. */
  readonly id: string;
  /** Contains the operator's name, or before that the node's own. */
  readonly name: string;
  /** Contains the state of the approval. */
  readonly state: NodeState;
  /** States whether the node just answered and proved its identity. */
  readonly present: boolean;
  /** Contains the declaration, if known. */
  readonly declared?: NodeDeclaration;
  /** Contains the digest of {@link declared}. An approval with it covers only the reviewed declaration. */
  readonly digest?: string;
  /** Names approved commands, and approved workspaces (`workspace.NAME`). */
  readonly approved: readonly string[];
  /** Contains the resource usage, if requested and reported. */
  readonly use?: NodeUsage;
  /** Contains the differences from the approved declaration. */
  readonly changes?: readonly DeclarationChange[];
}

/** Describes a node with its approved commands and workspaces. */
export interface ApprovedNode {
  /** Identifies the node. */
  readonly id: string;
  /** Contains the operator's name of the node. */
  readonly name: string;
  /** Names approved commands. */
  readonly commands: readonly string[];
  /** Names approved workspaces without prefix. */
  readonly workspaces: readonly string[];
}

/** Describes a call after the policy's decision. */
export interface NodeCall {
  /** Contains the target, from {@link Nodes.resolve}. */
  readonly target: NodeTarget;
  /** Contains the parameters in canonical form. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Limits the call in milliseconds. Default 60,000, limited by the command. */
  readonly timeoutMs?: number | undefined;
  /** Cancels the call, also on the node. */
  readonly signal?: AbortSignal | undefined;
}

/** Describes a workspace to open, after the policy's decision. */
export interface WorkspaceCall extends Partial<Omit<WorkspaceRequest, "hostId">> {
  /** Contains the target, from {@link Nodes.resolveWorkspace}. Absent properties have the declared values. */
  readonly target: WorkspaceTarget;
  /** Limits the opening in milliseconds. Default 30,000. */
  readonly timeoutMs?: number;
  /** Cancels the opening, also on the node. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Lists, pairs, approves and calls the nodes of a host.
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
   * Returns every paired or own node, with declaration and presence.
   *
   * @param options.use requests each node's resource usage, which takes a quarter of a second
   */
  list(options?: { use?: boolean }): Promise<readonly NodeStatus[]>;
  /**
   * Starts a pairing: a person compares the codes of both sides. `accept` stores the node without approval. A
   * revoked node can be paired again.
   *
   * @throws HaftError `NODE_PAIRING_FAILED`, `NODE_UNREACHABLE`, `NODE_OPTIONS_INVALID` for the host's own
   * nodes
   */
  pair(id: string): Promise<PairingOffer & { accept(): void }>;
  /**
   * Approves commands and workspaces of a node. The node must be present, because its current declaration is
   * approved.
   *
   * @param options.commands names of commands and of workspaces (`workspace.NAME`); default: everything
   * offered
   * @param options.digest digest of the reviewed declaration; throws `NODE_CHANGED` if it differs
   * @param options.name name for policies and calls; throws `NODE_AMBIGUOUS` if taken
   */
  approve(
    id: string,
    options?: { commands?: readonly string[]; digest?: string; name?: string },
  ): Promise<NodeStatus>;
  /** Revokes a node: aborts running calls and ignores its messages. */
  revoke(id: string): void;
  /** Returns nodes with approvals from stored decisions. */
  approved(): readonly ApprovedNode[];
  /**
   * Resolves a node and a command from stored decisions.
   *
   * @throws HaftError `NODE_…`
   */
  resolve(selector: NodeSelector): NodeTarget;
  /**
   * Resolves a node and a workspace from stored decisions.
   *
   * @throws HaftError `NODE_…`
   */
  resolveWorkspace(selector: WorkspaceSelector): WorkspaceTarget;
  /**
   * Opens a workspace. The stream's content and end are statements of the node. It ends with its node's
   * approval; a node without a message for 20 seconds is lost.
   *
   * @throws HaftError `NODE_…`, or the node's reason; then nothing runs. Its `close` throws `NODE_NOT_ENDED`
   */
  openWorkspace(call: WorkspaceCall): Promise<OpenedWorkspace>;
  /**
   * Calls a command, once.
   *
   * @throws HaftError whose receipt states whether it may have run
   */
  invoke(call: NodeCall): Promise<ToolResult<Record<string, unknown>>>;
  /** Closes all links and aborts running calls. */
  close(): Promise<void>;
}
