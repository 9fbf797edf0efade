import type { Mount } from "@haft/core";
import type { Duplex } from "node:stream";
import type { SandboxEnd } from "../backend.ts";

/* Same as in `@haft/nodes`; neither package may import the other. */

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
  /** Names the workspace. */
  readonly name: string;
  /** Informs the operator who approves it. */
  readonly description: string;
  /** Limits access to the files. */
  readonly access: "ro" | "rw";
  /** Limits the network of commands. */
  readonly network: "none" | "full";
  /** See {@link SandboxBackend.id}. */
  readonly isolation: string;
  /**
   * Starts a runner in the workspace for a host.
   * @throws HaftError with a code of `SandboxBackend.open`
   */
  open(request: WorkspaceRequest, signal: AbortSignal): Promise<ServedWorkspace>;
}

/** Describes a host's request, within the offer. */
export interface WorkspaceRequest {
  readonly hostId: string;
  /** `none`: a private folder, which ends with the workspace. */
  readonly access: "none" | "ro" | "rw";
  /** See {@link OfferedWorkspace.network}. */
  readonly network: "none" | "full";
  /** Only values below the node's own limits have an effect. */
  readonly limits: Readonly<Record<string, number>>;
}

/** Describes an open workspace of a node. */
export interface ServedWorkspace {
  readonly stream: Duplex;
  /** Paths are those inside; the first mount is the workspace. */
  readonly mounts: readonly Mount[];
  /** See `SandboxConnection.runner`. */
  readonly runner?: "program" | "shell";
  /** See `SandboxConnection.inherit`. */
  readonly inherit?: readonly string[];
  readonly ended: Promise<SandboxEnd>;
  /** Ends the workspace, and resolves when it has ended. */
  close(): Promise<void>;
}

/** Describes a workspace that the operator has approved. */
export interface ApprovedWorkspace {
  readonly id: string;
  /** The operator's name of the node. */
  readonly name: string;
  /** The node's declaration. */
  readonly workspace: Pick<OfferedWorkspace, "name" | "access" | "network" | "isolation">;
}

/** Finds and opens workspaces. `createNodes` creates it. */
export interface WorkspaceNodes<Target extends ApprovedWorkspace = ApprovedWorkspace> {
  /** Uses only stored approvals. @throws HaftError `NODE_…` */
  resolveWorkspace(wanted: { node?: string | undefined; workspace?: string | undefined }): Target;
  /** @throws HaftError `NODE_…` */
  openWorkspace(
    call: { readonly target: Target; readonly signal?: AbortSignal | undefined } & Omit<
      WorkspaceRequest,
      "hostId"
    >,
  ): Promise<ServedWorkspace>;
}
