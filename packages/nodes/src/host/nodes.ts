import type { Logger, ToolResult } from "@haft/core";
import type { DeclarationChange } from "../contract/declaration-changes.ts";
import type { NodeDeclaration } from "../contract/declaration.ts";
import type { Records } from "../contract/records.ts";
import type { NodeTransport, PairingOffer } from "../contract/transport.ts";
import type { NodeUsage } from "../contract/usage.ts";
import type { OpenedWorkspace, WorkspaceRequest } from "../contract/workspace.ts";
import type { NodePairing, NodeState } from "./pairing.ts";
import type { NodeTarget, NodeSelector, WorkspaceTarget, WorkspaceSelector } from "./resolve-node.ts";

/** Options of `createNodes`. */
export interface NodesOptions {
  /** How nodes are reached. */
  readonly transport: NodeTransport;
  /** What the operator decided. In memory by default: nothing is approved at the next start. */
  readonly pairings?: Records<NodePairing>;
  /** What holds whatever was approved. */
  readonly policy?: {
    /** What nobody uses: `camera.*`, or of one node `kitchen:camera.*`; workspaces as `workspace.project`. */
    readonly deny?: readonly string[];
  };
  /** Told when a node was held back. */
  readonly logger?: Pick<Logger, "warn">;
}

/** What is known of one node. */
export interface NodeStatus {
  /** Identity. */
  readonly id: string;
  /** As the operator named it; as it calls itself before that. */
  readonly name: string;
  /** What follows for calls. */
  readonly state: NodeState;
  /** It answered just now, and proved who it is. */
  readonly present: boolean;
  /** What it offers, as far as that is known. */
  readonly declared?: NodeDeclaration;
  /** {@link declared} in short: approving names it, so that what was looked at is what is approved. */
  readonly digest?: string;
  /** Commands that may be called, and workspaces that may be opened (`workspace.NAME`). */
  readonly approved: readonly string[];
  /** What it uses of what it has, as it says, where it was asked for and the node says it. */
  readonly use?: NodeUsage;
  /** What is not as it was approved. */
  readonly changes?: readonly DeclarationChange[];
}

/** What of a node may be used. */
export interface ApprovedNode {
  /** Identity. */
  readonly id: string;
  /** As the operator named it. */
  readonly name: string;
  /** Commands. */
  readonly commands: readonly string[];
  /** Workspaces, by their names alone. */
  readonly workspaces: readonly string[];
}

/** A call, decided about. */
export interface NodeCall {
  /** Where it goes: of {@link Nodes.resolve}. */
  readonly target: NodeTarget;
  /** Canonical. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Milliseconds it has, 60,000 by default, as far as the command allows. */
  readonly timeoutMs?: number | undefined;
  /** Takes it back, there too. */
  readonly signal?: AbortSignal | undefined;
}

/** A workspace to open, decided about. */
export interface WorkspaceCall extends Partial<Omit<WorkspaceRequest, "hostId">> {
  /** Of {@link Nodes.resolveWorkspace}. What is not given of the rest is as it was declared. */
  readonly target: WorkspaceTarget;
  /** Milliseconds it may take, 30,000 by default. */
  readonly timeoutMs?: number;
  /** Takes it back, there too. */
  readonly signal?: AbortSignal | undefined;
}

/** The nodes of a host. */
export interface Nodes {
  /**
   * Every node that is paired, or the host's own, with what it offers and whether it is there.
   *
   * @param options.use also asks each what it uses, which takes it a quarter of a second
   */
  list(options?: { use?: boolean }): Promise<readonly NodeStatus[]>;
  /**
   * Begins to pair with a node: both sides show the same code, and a person compares them. `accept` keeps the node; nothing of
   * it is approved by that. A node that was revoked can be paired anew.
   *
   * @throws HaftError `NODE_PAIRING_FAILED`, `NODE_UNREACHABLE`, `NODE_OPTIONS_INVALID` where nodes are the host's own
   */
  pair(id: string): Promise<PairingOffer & { accept(): void }>;
  /**
   * Lets commands of a node be called, and its workspaces be opened. It has to be there: what it offers is what is approved.
   *
   * @param options.commands those that may be used, workspaces as `workspace.NAME`; all it offers by default
   * @param options.digest what somebody looked at: `NODE_CHANGED` where it offers something else by now
   * @param options.name what policies and calls shall name it by; `NODE_AMBIGUOUS` where another node has that name
   */
  approve(
    id: string,
    options?: { commands?: readonly string[]; digest?: string; name?: string },
  ): Promise<NodeStatus>;
  /** Takes nothing of the node any more, at once: what runs is told to stop. */
  revoke(id: string): void;
  /** The nodes of which something may be called or opened, by what was decided alone. */
  approved(): readonly ApprovedNode[];
  /** Which node and command are meant, by what was decided alone: nothing is asked. @throws HaftError `NODE_…` */
  resolve(wish: NodeSelector): NodeTarget;
  /** The same for a workspace. @throws HaftError `NODE_…` */
  resolveWorkspace(wish: WorkspaceSelector): WorkspaceTarget;
  /**
   * Opens a workspace. What comes out of its stream, and how it ended, is what the node says. It ends with the approval of its
   * node; where the node was not heard of for 20 seconds it counts as lost.
   *
   * @throws HaftError `NODE_…`, or what the node says why not; nothing runs then. Of its `close`: `NODE_NOT_ENDED`
   */
  openWorkspace(call: WorkspaceCall): Promise<OpenedWorkspace>;
  /** Calls it, once. @throws HaftError whose receipt says whether it can have run */
  invoke(call: NodeCall): Promise<ToolResult<Record<string, unknown>>>;
  /** Lets go of all nodes; what runs is told to stop. */
  close(): Promise<void>;
}
