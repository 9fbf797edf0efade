import type { SandboxBackend } from "@haft/sandbox";
import type { BuiltInBackend } from "./settings.ts";

/** What opens sandboxes: loaded with the first that is needed. */
export const loadSandboxes = () => import("@haft/sandbox");

/** A built-in backend by name, loaded when it is asked for. */
export async function loadSandboxBackend(name: BuiltInBackend): Promise<SandboxBackend> {
  const sandbox = await loadSandboxes();
  const create = {
    bubblewrap: sandbox.createBubblewrapBackend,
    docker: sandbox.createDockerBackend,
    "sandbox-runtime": sandbox.createSandboxRuntimeBackend,
  }[name];
  return create();
}
