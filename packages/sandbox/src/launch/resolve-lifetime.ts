import { withoutUndefined } from "@haft/utils";
import type { SandboxSpec } from "../backend.ts";
import { DETACHED_LIFETIME } from "../defaults.ts";

/** The lifetime of a detached sandbox, in milliseconds. */
export interface DetachedLifetime {
  idleMs: number;
  maxAgeMs: number;
}

/** Adds the defaults to the lifetime of a detached sandbox. */
export function resolveLifetime(lifetime: Exclude<SandboxSpec["lifetime"], string>): DetachedLifetime {
  return { ...DETACHED_LIFETIME, ...withoutUndefined<Partial<DetachedLifetime>>(lifetime) };
}
