import { sha256 } from "@haft/utils";

const known = new WeakMap<Uint8Array, string>();
const running = new WeakMap<Uint8Array, Promise<void>>();

const SLICED_FROM = 512 * 1024;
/** A slice takes about a millisecond. */
const SLICE_BYTES = 1024 * 1024;

/** Returns 64 lower-case hex digits: `details.hash` and `ifMatch`. Cached per buffer, so buffers must not change afterwards. */
export function contentHash(bytes: Uint8Array): string {
  const found = known.get(bytes);
  if (found !== undefined) return found;
  const fresh = sha256(bytes);
  known.set(bytes, fresh);
  return fresh;
}

export function prepareHash(bytes: Buffer): Promise<void> {
  if (bytes.length < SLICED_FROM || known.has(bytes)) return Promise.resolve();
  let work = running.get(bytes);
  if (work === undefined) {
    work = digest(bytes);
    running.set(bytes, work);
  }
  return work;
}

/** Web Crypto would copy the bytes first, which takes almost as long and blocks the event loop. */
async function digest(bytes: Buffer): Promise<void> {
  const hash = process.getBuiltinModule("node:crypto").createHash("sha256");
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    await new Promise((resolve) => setImmediate(resolve));
    hash.update(bytes.subarray(at, at + SLICE_BYTES));
  }
  known.set(bytes, hash.digest("hex"));
  running.delete(bytes);
}
