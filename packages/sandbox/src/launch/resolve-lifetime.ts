import { requireKnownOptions } from "@haft/core/internal";
import { withoutUndefined } from "@haft/utils";
import type { SandboxSpec } from "../backend.ts";
import { DETACHED_LIFETIME } from "../defaults.ts";

/** The lifetime of a detached sandbox, in milliseconds. */
export interface DetachedLifetime {
  idleMs: number;
  maxAgeMs: number;
}

/**
 * Returns the lifetime of a detached sandbox with its defaults: one hour without use, seven days after the start.
 *
 * @example
 * ```ts run
 * import { resolveLifetime } from "@haft/sandbox";
 * resolveLifetime({ idleMs: 60_000 }).maxAgeMs; // => 604800000
 * ```
 */
export function resolveLifetime(lifetime: Exclude<SandboxSpec["lifetime"], string>): DetachedLifetime {
  requireKnownOptions<Partial<DetachedLifetime>>("resolveLifetime", lifetime, {
    idleMs: true,
    maxAgeMs: true,
  });
  return { ...DETACHED_LIFETIME, ...withoutUndefined<Partial<DetachedLifetime>>(lifetime) };
}
