import { createHash } from "node:crypto";
import type { SandboxRef, SandboxSpec } from "../backend.ts";

/** Names a sandbox that is being opened and ends with its host. */
export function tetheredRef(backend: string, id: string, spec: SandboxSpec): SandboxRef {
  return {
    backend,
    id,
    key: spec.key,
    scope: spec.scope,
    specHash: createHash("sha256").update(JSON.stringify(spec)).digest("hex").slice(0, 16),
    createdAt: Date.now(),
    state: "running",
    detached: false,
  };
}
