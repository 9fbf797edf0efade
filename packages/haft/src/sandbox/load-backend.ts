import type { SandboxBackend } from "@haft/sandbox";
import type { BuiltInBackend } from "./settings.ts";

/** A built-in backend by name, with what it is by default. Loaded when it is asked for, and idle until it is used. */
export async function loadSandboxBackend(name: BuiltInBackend): Promise<SandboxBackend> {
  const { createBubblewrapBackend, createDockerBackend } = await import("@haft/sandbox");
  return name === "docker" ? createDockerBackend() : createBubblewrapBackend();
}
