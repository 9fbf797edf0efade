import { sha256 } from "@haft/utils";

const known = new WeakMap<Uint8Array, string>();
const running = new WeakMap<Uint8Array, Promise<void>>();

const BACKGROUND_FROM = 512 * 1024;

/** Returns 64 lower-case hex digits: `details.hash` and `ifMatch`. Cached per buffer, so buffers must not change afterwards. */
export function contentHash(bytes: Uint8Array): string {
  const found = known.get(bytes);
  if (found !== undefined) return found;
  const fresh = sha256(bytes);
  known.set(bytes, fresh);
  return fresh;
}

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
    const result = await crypto.subtle.digest("SHA-256", bytes as Buffer<ArrayBuffer>);
    known.set(bytes, Buffer.from(result).toString("hex"));
  } catch {
    // `contentHash` computes it on demand.
  } finally {
    running.delete(bytes);
  }
}
