import type { Mount } from "@haft/core";
import type { Duplex } from "node:stream";
import type { SandboxEnd } from "../backend.ts";

/*
 * What a node offers and a host opens, as `@haft/nodes` has it: neither package is below the other.
 */

/** A place on a node that hosts may work in: one of the `workspaces` of a node. */
export interface OfferedWorkspace {
  /** As hosts name it. */
  readonly name: string;
  /** For who approves it. */
  readonly description: string;
  /** Whether its files may be changed. */
  readonly access: "ro" | "rw";
  /** What commands in it reach. */
  readonly network: "none" | "full";
  /** What keeps its commands from the rest of the machine: the {@link SandboxBackend.id} of its backend. */
  readonly isolation: string;
  /** Starts a runner in it for a host. @throws HaftError as `SandboxBackend.open` */
  open(request: WorkspaceRequest, signal: AbortSignal): Promise<ServedWorkspace>;
}

/** What a host wants of one: at most what is offered. */
export interface WorkspaceRequest {
  /** The host. */
  readonly hostId: string;
  /** `none`: a private folder, which ends with it. */
  readonly access: "none" | "ro" | "rw";
  /** As of {@link OfferedWorkspace.network}. */
  readonly network: "none" | "full";
  /** Those of sandboxes by name, where they are lower than those of the node. */
  readonly limits: Readonly<Record<string, number>>;
}

/** One that is open. */
export interface ServedWorkspace {
  /** To its runner. */
  readonly stream: Duplex;
  /** As seen inside; the first is the workspace. */
  readonly mounts: readonly Mount[];
  /** Who answers, as of `SandboxConnection.runner`. */
  readonly runner?: "program" | "shell";
  /** As of `SandboxConnection.inherit`. */
  readonly inherit?: readonly string[];
  /** Resolves when it is gone. */
  readonly ended: Promise<SandboxEnd>;
  /** Ends it; it is gone when this resolves. */
  close(): Promise<void>;
}

/** One that a host may open, as its operator approved it. */
export interface ApprovedWorkspace {
  /** The node. */
  readonly id: string;
  /** Its name, as the operator gave it. */
  readonly name: string;
  /** As it was declared. */
  readonly workspace: Pick<OfferedWorkspace, "name" | "access" | "network" | "isolation">;
}

/** The nodes of a host, as far as it takes to open a workspace of one: those that `createNodes` makes. */
export interface WorkspaceNodes<Target extends ApprovedWorkspace = ApprovedWorkspace> {
  /** Which one is meant, by what was approved alone. @throws HaftError `NODE_…` */
  resolveWorkspace(wish: { node?: string | undefined; workspace?: string | undefined }): Target;
  /** Opens it. @throws HaftError `NODE_…` */
  openWorkspace(
    call: { readonly target: Target; readonly signal?: AbortSignal | undefined } & Omit<
      WorkspaceRequest,
      "hostId"
    >,
  ): Promise<ServedWorkspace>;
}
