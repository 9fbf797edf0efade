import type { SandboxSpec } from "../src/backend.ts";

/** An ordinary specification on a folder of the host. */
export function specFor(hostPath: string, more: Partial<SandboxSpec> = {}): SandboxSpec {
  return {
    key: "test",
    scope: "session",
    workspace: "rw",
    mounts: [{ name: "", hostPath, path: "/workspace", access: "rw" }],
    env: {},
    network: "none",
    limits: { memoryMb: 512, tasks: 128, cpus: 0, fileMb: 64, tmpMb: 32 },
    lifetime: "tethered",
    ...more,
  };
}
