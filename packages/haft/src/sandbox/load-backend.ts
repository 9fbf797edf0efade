import type { SandboxBackend } from "@haft/sandbox";
import type { BuiltInBackend } from "./settings.ts";

/** A built-in backend by name, loaded when it is asked for. */
export async function loadSandboxBackend(name: BuiltInBackend): Promise<SandboxBackend> {
  const { createBubblewrapBackend, createDockerBackend } = await import("@haft/sandbox");
  return name === "bubblewrap" ? createBubblewrapBackend() : createDockerBackend();
}
