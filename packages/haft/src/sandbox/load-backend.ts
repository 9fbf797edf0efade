import type { SandboxBackend } from "@haft/sandbox";
import type { BuiltInBackend } from "./settings.ts";

/** A built-in backend by name, loaded when it is asked for. */
export async function loadSandboxBackend(name: BuiltInBackend): Promise<SandboxBackend> {
  const sandbox = await import("@haft/sandbox");
  switch (name) {
    case "bubblewrap":
      return sandbox.createBubblewrapBackend();
    case "docker":
      return sandbox.createDockerBackend();
    case "sandbox-runtime":
      return sandbox.createSandboxRuntimeBackend();
  }
}
