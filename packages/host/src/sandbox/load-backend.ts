import type { SandboxSettings } from "@haft/config";
import type { BuiltInBackend } from "@haft/config/internal/settings";
import type { Nodes } from "@haft/nodes";
import type { SandboxBackend } from "@haft/sandbox";
import { withoutUndefined } from "@haft/utils";
import { hostError } from "../errors.ts";

export const loadSandboxes = () => import("@haft/sandbox");

/**
 * Returns the built-in sandbox backend of this name. The first call loads the backends' package.
 *
 * @example
 * ```ts
 * import { createHost, loadSandboxBackend } from "@haft/host";
 * const backend = await loadSandboxBackend("docker");
 * const host = await createHost({ sandbox: { backend, image: "node:24-slim" } });
 * ```
 */
export async function loadSandboxBackend(name: BuiltInBackend): Promise<SandboxBackend> {
  const sandbox = await loadSandboxes();
  const create = {
    bubblewrap: sandbox.createBubblewrapBackend,
    docker: sandbox.createDockerBackend,
    "sandbox-runtime": sandbox.createSandboxRuntimeBackend,
  }[name];
  return create();
}

/** @throws HaftError `SANDBOX_UNAVAILABLE` if the host has no nodes */
export async function loadNodeBackend(
  nodes: Nodes | undefined,
  { node, workspace }: Pick<SandboxSettings, "node" | "workspace">,
): Promise<SandboxBackend> {
  if (nodes === undefined)
    throw hostError("SANDBOX_UNAVAILABLE", "The sandbox is to be on a node, and this host has no nodes.", {
      fix: "Say where nodes are met (nodes: { server }, or nats), or use another backend.",
    });
  const { createNodeBackend } = await loadSandboxes();
  return createNodeBackend(nodes, withoutUndefined({ node, workspace }));
}
