import type { Mount, ToolEffect } from "@haft/core";
import type { Duplex } from "node:stream";

/** A place on a node that hosts may work in: its files, and commands beside them. Offered as `workspace.NAME`. */
export interface NodeWorkspace {
  /** Lower-case letters, digits and `-`, at most 40. */
  readonly name: string;
  /** For the operator who approves it; at most 1,024 characters. */
  readonly description: string;
  /** Whether its files may be changed. */
  readonly access: "ro" | "rw";
  /** What commands in it reach. */
  readonly network: "none" | "full";
  /** What keeps its commands from the rest of the node, in a word: `bubblewrap`; `host` where nothing does. */
  readonly isolation: string;
  /**
   * Starts a runner in it. Nothing is left of one whose opening fails or is cancelled.
   *
   * @throws HaftError why not
   */
  open(request: WorkspaceRequest, signal: AbortSignal): Promise<OpenedWorkspace>;
}

/** What a host wants of a workspace: never more than was declared. */
export interface WorkspaceRequest {
  /** The host. */
  readonly hostId: string;
  /** `none`: a private folder, which ends with it. */
  readonly access: "none" | "ro" | "rw";
  /** As of {@link NodeWorkspace.network}. */
  readonly network: "none" | "full";
  /** By name, as those of sandboxes: what lowers the node's own counts. */
  readonly limits: Readonly<Record<string, number>>;
}

/** How one ended. */
export interface WorkspaceEnd {
  /** The end of a sentence: `it was closed`, `its runner ended with exit code 1`. */
  readonly why: string;
  /** It used more memory than it may. */
  readonly oom?: boolean;
  /** Of its runner, where that is known. */
  readonly exitCode?: number;
}

/** A workspace that is open: a stream to the runner in it. */
export interface OpenedWorkspace {
  /** To the runner, which waits for whoever speaks first: the host. */
  readonly stream: Duplex;
  /** As seen inside; the first is the workspace. */
  readonly mounts: readonly Mount[];
  /** Who answers: Haft's own program (default), or the one for places that have only a shell. */
  readonly runner?: "program" | "shell";
  /** Names of variables of the runner that commands need beside the usual ones. */
  readonly inherit?: readonly string[];
  /** Resolves when it is gone, whatever the reason. */
  readonly ended: Promise<WorkspaceEnd>;
  /** Ends it with all that runs in it; it is gone when this resolves. */
  close(): Promise<void>;
}

/** A workspace as a node says it has it. */
export type DeclaredWorkspace = Pick<
  NodeWorkspace,
  "name" | "description" | "access" | "network" | "isolation"
>;

/** What a host asks a node to open. */
export interface WorkspaceOpening extends Omit<WorkspaceRequest, "hostId"> {
  /** Its name. */
  readonly workspace: string;
  /** The digest of it as it was approved; a node with another one refuses. */
  readonly declared: string;
}

/** Begins the names that workspaces are approved, denied and shown by; no command has such a name. */
export const WORKSPACE_PREFIX = "workspace.";

export function toOfferName({ name }: { readonly name: string }): string {
  return WORKSPACE_PREFIX + name;
}

export function getWorkspaceEffects({ access, network }: DeclaredWorkspace): readonly ToolEffect[] {
  return [
    "execute",
    ...(network === "full" ? (["network"] as const) : []),
    "read",
    ...(access === "rw" ? (["write"] as const) : []),
  ];
}
