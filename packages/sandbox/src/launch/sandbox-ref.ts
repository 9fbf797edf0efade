import { sha256 } from "@haft/utils";
import type { SandboxRef, SandboxSpec } from "../backend.ts";

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
 * Returns the public name of a sandbox: its scope and a hash of its key. A key may contain a phone number, and all users of the machine can
 * see names of containers.
 *
 * @example
 * ```ts run
 * import { sandboxKey } from "@haft/sandbox";
 * const key = sandboxKey({ scope: "session", key: "whatsapp:+4915112345678" });
 * key.startsWith("session") && !key.includes("4915112345678"); // => true
 * ```
 */
export function sandboxKey({ scope, key }: Pick<SandboxSpec, "scope" | "key">): string {
  return `${scope}-${hashSandboxValue([scope, key])}`;
}

export function hashSandboxValue(value: unknown): string {
  return sha256(JSON.stringify(value)).slice(0, 16);
}
