import type { Mount, ToolEffect } from "@haft/core";
import type { Duplex } from "node:stream";

/**
 * A workspace that a node offers to hosts: its files, and commands in it. Its name in approvals is `workspace.NAME`.
 * `offerWorkspace` of `@haft/sandbox` makes one of a folder.
 *
 * @example
 * ```ts
 * import { createNode, type NodeWorkspace } from "@haft/nodes";
 * import { createDockerBackend, offerWorkspace } from "@haft/sandbox";
 * const site = { name: "site", description: "The web site.", folder: "/srv/site", access: "rw" } as const;
 * const workspace: NodeWorkspace = offerWorkspace(createDockerBackend(), site);
 * const node = createNode({ id: "web", commands: [], workspaces: [workspace] });
 * ```
 */
export interface NodeWorkspace {
  /** Name of the workspace: lower-case letters, digits and `-`, at most 40. */
  readonly name: string;
  /** Description for the operator who approves it; at most 1,024 characters. */
  readonly description: string;
  /** Whether its files may be changed. */
  readonly access: "ro" | "rw";
  /** Network of commands. */
  readonly network: "none" | "full";
  /** What isolates its commands from the rest of the node, in a word: `bubblewrap`; `host` if nothing does. */
  readonly isolation: string;
  /**
   * Starts a runner in the workspace. A failed or cancelled opening leaves nothing.
   *
   * @throws HaftError with the reason
   */
  open(request: WorkspaceRequest, signal: AbortSignal): Promise<OpenedWorkspace>;
}

/** What a host requests of a workspace: never more than was declared. */
export interface WorkspaceRequest {
  /** Id of the host. */
  readonly hostId: string;
  /** Access to the files. `none`: a private folder, which ends with the workspace. */
  readonly access: "none" | "ro" | "rw";
  /** Network of commands, as in {@link NodeWorkspace.network}. */
  readonly network: "none" | "full";
  /** Limits by name, as for sandboxes. Only those below the node's own limits have an effect. */
  readonly limits: Readonly<Record<string, number>>;
}

/** How a workspace ended. */
export interface WorkspaceEnd {
  /** The reason, as the end of a sentence: `it was closed`, `its runner ended with exit code 1`. */
  readonly why: string;
  /** Whether the workspace exceeded its memory limit. */
  readonly oom?: boolean;
  /** Exit code of the runner, if it is known. */
  readonly exitCode?: number;
}

/** An open workspace: a stream to its runner. */
export interface OpenedWorkspace {
  /** Stream to the runner, which waits for the first message of the host. */
  readonly stream: Duplex;
  /** Mounts with their paths inside; the first is the workspace. */
  readonly mounts: readonly Mount[];
  /** Kind of the runner: Haft's own program (default), or the one for systems that have only a shell. */
  readonly runner?: "program" | "shell";
  /** Names of the runner's variables that commands need in addition to the usual ones. */
  readonly inherit?: readonly string[];
  /** Resolves when the workspace has ended, for any reason. */
  readonly ended: Promise<WorkspaceEnd>;
  /** Ends the workspace with everything that runs in it. It has ended when this resolves. */
  close(): Promise<void>;
}

/** A workspace as a node declares it. */
export type DeclaredWorkspace = Pick<
  NodeWorkspace,
  "name" | "description" | "access" | "network" | "isolation"
>;

/** What a host asks a node to open. */
export interface WorkspaceOpening extends Omit<WorkspaceRequest, "hostId"> {
  /** Name of the workspace. */
  readonly workspace: string;
  /** Digest of the workspace as it was approved. A node whose workspace has another digest refuses. */
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
