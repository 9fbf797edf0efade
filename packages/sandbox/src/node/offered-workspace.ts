import type { Mount } from "@haft/core";
import type { Duplex } from "node:stream";
import type { SandboxEnd } from "../backend.ts";

/*
 * What a node offers and a host opens, as `@haft/nodes` has it: neither package is below the other.
 */

/**
 * A workspace that a node offers to hosts.
 *
 * @example
 * ```ts
 * import { createBubblewrapBackend, offerWorkspace, type OfferedWorkspace } from "@haft/sandbox";
 * const site = { name: "site", description: "The web site.", folder: "/srv/site" };
 * const offered: OfferedWorkspace = offerWorkspace(createBubblewrapBackend(), site);
 * ```
 */
export interface OfferedWorkspace {
  /** Name that hosts use. */
  readonly name: string;
  /** Description for the operator who approves the workspace. */
  readonly description: string;
  /** Whether its files may be changed. */
  readonly access: "ro" | "rw";
  /** Network of commands. */
  readonly network: "none" | "full";
  /** What isolates commands from the rest of the machine: the {@link SandboxBackend.id} of its backend. */
  readonly isolation: string;
  /**
   * Starts a runner in the workspace for a host.
   *
   * @throws HaftError with a code of `SandboxBackend.open`
   */
  open(request: WorkspaceRequest, signal: AbortSignal): Promise<ServedWorkspace>;
}

/** What a host requests of a workspace: at most what is offered. */
export interface WorkspaceRequest {
  /** Id of the host. */
  readonly hostId: string;
  /** Access to the files. `none`: a private folder, which ends with the workspace. */
  readonly access: "none" | "ro" | "rw";
  /** Network of commands, as in {@link OfferedWorkspace.network}. */
  readonly network: "none" | "full";
  /** Limits of sandboxes by name. Only those below the node's own limits have an effect. */
  readonly limits: Readonly<Record<string, number>>;
}

/** An open workspace of a node. */
export interface ServedWorkspace {
  /** Stream to the runner. */
  readonly stream: Duplex;
  /** Mounts with their paths inside; the first is the workspace. */
  readonly mounts: readonly Mount[];
  /** Kind of the runner, as in `SandboxConnection.runner`. */
  readonly runner?: "program" | "shell";
  /** Names of variables, as in `SandboxConnection.inherit`. */
  readonly inherit?: readonly string[];
  /** Resolves when the workspace has ended. */
  readonly ended: Promise<SandboxEnd>;
  /** Ends the workspace. It has ended when this resolves. */
  close(): Promise<void>;
}

/** A workspace that a host may open, as its operator approved it. */
export interface ApprovedWorkspace {
  /** Id of the node. */
  readonly id: string;
  /** Name of the node, given by the operator. */
  readonly name: string;
  /** The workspace as the node declared it. */
  readonly workspace: Pick<OfferedWorkspace, "name" | "access" | "network" | "isolation">;
}

/** The nodes of a host, with the operations that open a workspace. `createNodes` makes them. */
export interface WorkspaceNodes<Target extends ApprovedWorkspace = ApprovedWorkspace> {
  /**
   * Resolves a node and a workspace by the stored approvals alone.
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
