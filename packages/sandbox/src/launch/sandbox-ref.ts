import { sha256 } from "@haft/core/internal";
import type { SandboxRef, SandboxSpec } from "../backend.ts";

/** Names a sandbox that is being opened now, and ends with its host unless something else is said. */
export function sandboxRef(
  backend: string,
  id: string,
  spec: SandboxSpec,
  more: Partial<SandboxRef> = {},
): SandboxRef {
  return {
    backend,
    id,
    key: sandboxKey(spec),
    scope: spec.scope,
    specHash: hashSandboxValue(spec),
    createdAt: Date.now(),
    state: "running",
    detached: false,
    ...more,
  };
}

/**
 * What a sandbox is known by: its scope, and a hash of its key. The key comes from outside, may hold anything, and may be
 * somebody's number; names and labels of containers are there for everybody to read.
 */
export function sandboxKey({ scope, key }: Pick<SandboxSpec, "scope" | "key">): string {
  return `${scope}-${hashSandboxValue([scope, key])}`;
}

export function hashSandboxValue(value: unknown): string {
  return sha256(JSON.stringify(value)).slice(0, 16);
}
