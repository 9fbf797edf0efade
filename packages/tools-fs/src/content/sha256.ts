import type { hash as Hash } from "node:crypto";

let hash: typeof Hash | undefined;

/** SHA-256 in hex or base64. Loads the crypto module on first use: it is the dearest part of importing these tools. */
export function sha256(data: string | Uint8Array, encoding: "hex" | "base64" = "hex"): string {
  hash ??= process.getBuiltinModule("node:crypto").hash;
  return hash("sha256", data, encoding);
}
