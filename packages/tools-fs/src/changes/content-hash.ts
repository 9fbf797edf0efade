import { hash } from "node:crypto";

const known = new WeakMap<Uint8Array, string>();

/**
 * SHA-256 of the bytes, 64 lower-case hex digits: what `details.hash` reports and `ifMatch` takes.
 * Computed once per buffer, so a buffer must not be written to afterwards.
 */
export function contentHash(bytes: Uint8Array): string {
  const found = known.get(bytes);
  if (found !== undefined) return found;
  const fresh = hash("sha256", bytes, "hex");
  known.set(bytes, fresh);
  return fresh;
}
