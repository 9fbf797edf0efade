import { sha256 } from "@haft/utils";
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
 * Returns the public name of a sandbox: its scope, and a hash of its key. A key comes from outside and may contain a phone
 * number; names and labels of containers are visible to everybody on the machine.
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
