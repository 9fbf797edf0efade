import type { Mount, ToolEffect } from "@haft/core";
import type { Duplex } from "node:stream";

/**
 * Describes a workspace that a node offers to hosts: its files, and commands in it. Approvals name it
 * `workspace.NAME`. `offerWorkspace` of `@haft/sandbox` creates it from a folder.
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
  /** Names the workspace: lower-case letters, digits and `-`, at most 40. */
  readonly name: string;
  /** Describes it to the approving operator; at most 1,024 characters. */
  readonly description: string;
  /** States whether its files may be changed. */
  readonly access: "ro" | "rw";
  /** Sets the network of commands. */
  readonly network: "none" | "full";
  /** Names its commands' isolation from the node: `bubblewrap`, or `host` without isolation. */
  readonly isolation: string;
  /**
   * Starts a runner in the workspace. A failed or cancelled opening leaves nothing.
   *
   * @throws HaftError with the reason
   */
  open(request: WorkspaceRequest, signal: AbortSignal): Promise<OpenedWorkspace>;
}

/** Contains a host's request, which never exceeds the declaration. */
export interface WorkspaceRequest {
  /** Identifies the host. */
  readonly hostId: string;
  /** Sets the access to the files. `none`: a private folder, which ends with the workspace. */
  readonly access: "none" | "ro" | "rw";
  /** Sets the network of commands, as in {@link NodeWorkspace.network}. */
  readonly network: "none" | "full";
  /** Contains limits by name, as for sandboxes; only values below the node's limits apply. */
  readonly limits: Readonly<Record<string, number>>;
}

/** Describes how a workspace ended. */
export interface WorkspaceEnd {
  /** Contains the reason as a sentence's end: `it was closed`, `its runner ended with exit code 1`. */
  readonly why: string;
  /** States whether the workspace exceeded its memory limit. */
  readonly oom?: boolean;
  /** Contains the runner's exit code, if known. */
  readonly exitCode?: number;
}

/** Describes an open workspace with a stream to its runner. */
export interface OpenedWorkspace {
  /** Connects to the runner, which awaits the host's first message. */
  readonly stream: Duplex;
  /** Contains the mounts with their inside paths, the workspace first. */
  readonly mounts: readonly Mount[];
  /** Names the kind of runner: Haft's program (default), or the runner for systems with only a shell. */
  readonly runner?: "program" | "shell";
  /** Names the runner's variables that commands need besides the usual variables. */
  readonly inherit?: readonly string[];
  /** Resolves when the workspace has ended, for any reason. */
  readonly ended: Promise<WorkspaceEnd>;
  /** Ends the workspace and everything in it before this resolves. */
  close(): Promise<void>;
}

/** Contains a workspace's entry in a declaration. */
export type DeclaredWorkspace = Pick<
  NodeWorkspace,
  "name" | "description" | "access" | "network" | "isolation"
>;

/** Contains a host's request to open a workspace. */
export interface WorkspaceOpening extends Omit<WorkspaceRequest, "hostId"> {
  /** Names the workspace. */
  readonly workspace: string;
  /** Contains the approved workspace's digest; the node refuses another. */
  readonly declared: string;
}

/** Prefix of workspaces in approvals, denials and messages, which no command has. */
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
