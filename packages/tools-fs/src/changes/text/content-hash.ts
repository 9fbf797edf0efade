import { sha256 } from "@haft/utils";

const known = new WeakMap<Uint8Array, string>();
const running = new WeakMap<Uint8Array, Promise<void>>();

/** From this size on, a hash computed on another thread costs less than it delays. */
const BACKGROUND_FROM = 512 * 1024;

/**
 * SHA-256 of the bytes, 64 lower-case hex digits: what `details.hash` reports and `ifMatch` takes.
 * Computed once per buffer, so a buffer must not be written to afterwards.
 */
export function contentHash(bytes: Uint8Array): string {
  const found = known.get(bytes);
  if (found !== undefined) return found;
  const fresh = sha256(bytes);
  known.set(bytes, fresh);
  return fresh;
}

/** Starts hashing large content off the event loop, so that {@link contentHash} has it ready later. */
export function prepareHash(bytes: Buffer): Promise<void> {
  if (bytes.length < BACKGROUND_FROM || known.has(bytes)) return Promise.resolve();
  let work = running.get(bytes);
  if (work === undefined) {
    work = digest(bytes);
    running.set(bytes, work);
  }
  return work;
}

async function digest(bytes: Buffer): Promise<void> {
  try {
    // The bytes come from a file or from here: never from memory shared with another thread.
    const result = await crypto.subtle.digest("SHA-256", bytes as Buffer<ArrayBuffer>);
    known.set(bytes, Buffer.from(result).toString("hex"));
  } catch {
    // Computed on demand, then.
  } finally {
    running.delete(bytes);
  }
}
