import type { Mount } from "@haft/core";
import type { Duplex } from "node:stream";
import type { SandboxEnd } from "../backend.ts";

/* The same types as in `@haft/nodes`, because neither package may import the other. */

/**
 * Describes a workspace that a node offers to hosts.
 *
 * @example
 * ```ts
 * import { createBubblewrapBackend, offerWorkspace, type OfferedWorkspace } from "@haft/sandbox";
 * const site = { name: "site", description: "The web site.", folder: "/srv/site" };
 * const offered: OfferedWorkspace = offerWorkspace(createBubblewrapBackend(), site);
 * ```
 */
export interface OfferedWorkspace {
  /** Names the workspace for hosts. */
  readonly name: string;
  /** Describes the workspace for the operator who approves it. */
  readonly description: string;
  /** Allows hosts to change files with `rw`. */
  readonly access: "ro" | "rw";
  /** Sets the network of commands. */
  readonly network: "none" | "full";
  /** Contains the {@link SandboxBackend.id} of the backend that isolates commands. */
  readonly isolation: string;
  /**
   * Starts a runner in the workspace for a host.
   *
   * @throws HaftError with a code of `SandboxBackend.open`
   */
  open(request: WorkspaceRequest, signal: AbortSignal): Promise<ServedWorkspace>;
}

/** Describes a host's request, which may not exceed the offer. */
export interface WorkspaceRequest {
  /** Identifies the host. */
  readonly hostId: string;
  /** Sets the access to files. `none`: a private folder, which ends with the workspace. */
  readonly access: "none" | "ro" | "rw";
  /** Sets the network of commands, as in {@link OfferedWorkspace.network}. */
  readonly network: "none" | "full";
  /** Contains limits by name. Only values below the node's own limits have an effect. */
  readonly limits: Readonly<Record<string, number>>;
}

/** Describes an open workspace of a node. */
export interface ServedWorkspace {
  /** Connects to the runner. */
  readonly stream: Duplex;
  /** Lists mounts with their paths inside; the first is the workspace. */
  readonly mounts: readonly Mount[];
  /** Same as `SandboxConnection.runner`. */
  readonly runner?: "program" | "shell";
  /** Same as `SandboxConnection.inherit`. */
  readonly inherit?: readonly string[];
  /** Resolves when the workspace has ended. */
  readonly ended: Promise<SandboxEnd>;
  /** Ends the workspace, and resolves when it has ended. */
  close(): Promise<void>;
}

/** Describes a workspace that the operator has approved for a host. */
export interface ApprovedWorkspace {
  /** Identifies the node. */
  readonly id: string;
  /** Contains the name that the operator gave the node. */
  readonly name: string;
  /** Contains the workspace as the node declared it. */
  readonly workspace: Pick<OfferedWorkspace, "name" | "access" | "network" | "isolation">;
}

/** Resolves and opens workspaces of a host's nodes. `createNodes` creates it. */
export interface WorkspaceNodes<Target extends ApprovedWorkspace = ApprovedWorkspace> {
  /**
   * Finds a node and a workspace in the stored approvals.
   *
   * @throws HaftError `NODE_…`
   */
  resolveWorkspace(wish: { node?: string | undefined; workspace?: string | undefined }): Target;
  /**
   * Opens the workspace.
   *
   * @throws HaftError `NODE_…`
   */
  openWorkspace(
    call: { readonly target: Target; readonly signal?: AbortSignal | undefined } & Omit<
      WorkspaceRequest,
      "hostId"
    >,
  ): Promise<ServedWorkspace>;
}
