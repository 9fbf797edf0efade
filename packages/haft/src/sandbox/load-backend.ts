import { HaftError } from "@haft/core";
import type { SandboxBackend } from "@haft/sandbox";
import type * as Backends from "@haft/sandbox";
import type { BuiltInBackend } from "./settings.ts";

/** A built-in backend by name, loaded when it is asked for. */
export async function loadSandboxBackend(name: BuiltInBackend): Promise<SandboxBackend> {
  const sandbox: Pick<typeof Backends, "createBubblewrapBackend"> & {
    createDockerBackend?: () => SandboxBackend;
  } = await import("@haft/sandbox");
  if (name === "bubblewrap") return sandbox.createBubblewrapBackend();
  return sandbox.createDockerBackend?.() ?? missing();
}

function missing(): SandboxBackend {
  const reason = "the Docker backend is not here yet";
  const fail = () =>
    Promise.reject(
      new HaftError("SANDBOX_UNAVAILABLE", `${reason}.`, { category: "operational", fix: "Use bubblewrap." }),
    );
  const probe = async () => ({
    backend: "docker",
    available: false,
    reason,
    fix: "Use bubblewrap.",
    details: {},
  });
  return { id: "docker", open: fail, list: fail, destroy: async () => false, probe };
}
