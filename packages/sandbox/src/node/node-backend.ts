import { HaftError } from "@haft/core";
import { requireKnownOptions } from "@haft/core/internal";
import { withoutUndefined } from "@haft/utils";
import { randomBytes } from "node:crypto";
import type { SandboxBackend, SandboxConnection, SandboxProbe, SandboxRef, SandboxSpec } from "../backend.ts";
import { abortedError, nodeError, sandboxError } from "../errors.ts";
import { probeSpec } from "../launch/probe-results.ts";
import { sandboxRef } from "../launch/sandbox-ref.ts";
import type { ApprovedWorkspace, ServedWorkspace, WorkspaceNodes } from "./offered-workspace.ts";

/**
 * Selects the workspace and node of {@link createNodeBackend}.
 *
 * @example
 * ```ts
 * import type { NodeBackendOptions } from "@haft/sandbox";
 * const options: NodeBackendOptions = { node: "workshop", workspace: "firmware" };
 * ```
 */
export interface NodeBackendOptions {
  /** Selects the node by id or name. Default: the only node that has such a workspace. */
  node?: string;
  /** Selects the workspace by name. Default: the only workspace. */
  workspace?: string;
}

const ID = "node";
const OPENED = "the workspace of a node";

/**
 * Creates a backend for workspaces of nodes that the operator has paired and approved. Each workspace runs in a sandbox of its node.
 *
 * The operator of the node determines the folder, its limits and the isolation. So the backend only accepts a specification within the
 * declaration:
 *
 * - access `rw` if it is offered, `ro`, or `none` (a private folder there); the folder of the specification has no effect
 * - the declared network, or `none`
 * - limits, of which the lower value applies
 * - no other mounts, image, user or setup
 *
 * Only the node can confirm the isolation. A node without a message for 20 seconds counts as lost. It ends its sandboxes a minute after the
 * last message of this host.
 *
 * `open` throws `SANDBOX_UNSUPPORTED`, `ABORTED`, and codes of nodes (`NODE_…`); `close` and `destroy` throw `SANDBOX_NOT_REMOVED`.
 *
 * @example
 * ```ts
 * import type { Nodes } from "@haft/nodes";
 * import { createNodeBackend } from "@haft/sandbox";
 * declare const nodes: Nodes;
 * const backend = createNodeBackend(nodes, { node: "workshop", workspace: "firmware" });
 * console.log(await backend.probe());
 * ```
 */
export function createNodeBackend<Target extends ApprovedWorkspace>(
  nodes: WorkspaceNodes<Target>,
  options: NodeBackendOptions = {},
): SandboxBackend {
  requireKnownOptions<NodeBackendOptions>("createNodeBackend", options, { node: true, workspace: true });
  return new NodeBackend(nodes, options);
}

class NodeBackend<Target extends ApprovedWorkspace> implements SandboxBackend {
  readonly id = ID;
  readonly #nodes: WorkspaceNodes<Target>;
  readonly #options: NodeBackendOptions;
  readonly #open = new Map<string, { ref: SandboxRef; close: () => Promise<void> }>();

  constructor(nodes: WorkspaceNodes<Target>, options: NodeBackendOptions) {
    this.#nodes = nodes;
    this.#options = options;
  }

  async probe(signal?: AbortSignal): Promise<SandboxProbe> {
    const started = performance.now();
    try {
      const { id, name, workspace } = this.#nodes.resolveWorkspace(this.#options);
      const connection = await this.open(probeSpec({}), signal);
      const startMs = Math.round(performance.now() - started);
      await connection.close();
      return {
        backend: ID,
        available: true,
        details: {
          node: `${name} (${id})`,
          workspace: `${workspace.name} (${workspace.access})`,
          isolation: `${workspace.isolation}, as the node states`,
          network: workspace.network,
          limits: "enforced only by the node: its own, or lower values",
        },
        startMs,
      };
    } catch (thrown) {
      if (!HaftError.is(thrown) || signal?.aborted === true) throw thrown;
      const { message: reason, fix, code } = thrown;
      return withoutUndefined({ backend: ID, available: false, reason, fix, details: { code } });
    }
  }

  async open(spec: SandboxSpec, signal?: AbortSignal): Promise<SandboxConnection> {
    if (signal?.aborted === true) throw abortedError(ID, OPENED);
    const target = this.#nodes.resolveWorkspace(this.#options);
    checkSupported(spec, target);
    const { workspace: access, limits } = spec;
    const network = spec.network === "full" ? "full" : "none";
    const call = { target, access, network, limits: { ...limits }, signal } as const;
    const opened = await this.#nodes.openWorkspace(call).catch((thrown: unknown) => {
      throw signal?.aborted === true ? abortedError(ID, OPENED) : thrown;
    });
    return this.#connect(spec, target, opened);
  }

  list(): Promise<SandboxRef[]> {
    return Promise.resolve([...this.#open.values()].map(({ ref }) => ref));
  }

  async destroy({ id }: SandboxRef): Promise<boolean> {
    const one = this.#open.get(id);
    await one?.close();
    return one !== undefined;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map(({ close }) => close()));
  }

  #connect(spec: SandboxSpec, { id, name, workspace }: Target, opened: ServedWorkspace): SandboxConnection {
    const ref = sandboxRef(ID, randomBytes(8).toString("hex"), spec);
    const { stream, mounts, runner, inherit, ended } = opened;
    let isClosing = false;
    const close = async (): Promise<void> => {
      isClosing = true;
      try {
        await opened.close();
      } catch (thrown) {
        throw notEnded(name, workspace.name, thrown);
      }
      this.#open.delete(ref.id);
    };
    this.#open.set(ref.id, { ref, close });
    return withoutUndefined({
      stream,
      ref,
      mounts,
      facts: { mount: spec.workspace, network: spec.network === "full" ? "full" : "none" } as const,
      runner,
      inherit,
      node: { id, name, workspace: workspace.name },
      ended: ended.then((end) => (isClosing ? { ...end, why: "it was closed" } : end)),
      close,
    });
  }
}

function checkSupported(spec: SandboxSpec, { name, workspace }: ApprovedWorkspace): void {
  const refuse = (why: string, fix: string): never => {
    throw nodeError("SANDBOX_UNSUPPORTED", why, fix, { details: { node: name } });
  };
  const called = `the workspace ${workspace.name} of ${name}`;
  if (typeof spec.network === "object")
    refuse("it does not support lists of hosts", 'Use `network: "none"`, or "full" if it has a network.');
  if (spec.network === "full" && workspace.network === "none")
    refuse(`${called} has no network`, 'Use `network: "none"`.');
  if (spec.workspace === "rw" && workspace.access === "ro")
    refuse(`${called} is read-only`, 'Use `workspaceAccess: "ro"` or "none".');
  if (spec.mounts.some((mount) => mount.name !== ""))
    refuse("folders of this machine are not available there", "Remove other mounts.");
  if (spec.image !== undefined) refuse("images are not supported", "Remove the image.");
  if (spec.user !== undefined) refuse("its operator determines the user of commands", "Remove the user.");
  if (spec.setup !== undefined) refuse("its operator determines the setup", "Remove the setup.");
  if (spec.lifetime !== "tethered")
    refuse("its sandboxes end with this host", 'Use the lifetime "tethered".');
}

function notEnded(node: string, workspace: string, cause: unknown): HaftError {
  return sandboxError(
    "SANDBOX_NOT_REMOVED",
    `The node ${node} did not confirm the end of its workspace ${workspace}. It ends the workspace a minute after the last message of this host.`,
    { fix: "Check the node when it is reachable again.", details: { node }, cause },
  );
}
